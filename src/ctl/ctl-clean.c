/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-clean.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cache/th-sweep.h"
#include "ctl/ctl-status.h"
#include "ctl/th-json.h"
#include "ctl/th-text.h"
#include "engine/th-engine.h"
#include "engine/th-orphans.h"
#include "engine/th-priority.h"

#define MIB      (1024u * 1024u)
#define MAX_DAYS 36500u

typedef struct
{
  char *max_size;
  char *max_age;
  gboolean background;
  gboolean dry_run;
  gboolean json;
  gboolean quiet;
  gboolean verbose;
} Options;

/* Swept in a thread, so that signals are heard meanwhile. */
typedef struct
{
  const Options *options;
  GMainLoop *loop;
  ThCache *cache;
  ThOrphans *orphans;
  ThSweepOptions sweep;
  ThSweepTally tally;
  ThSweepEnd end;
  GError *error;
  gint stop;
  guint on_signal[2];
} Clean;

static void
options_clear (Options *options)
{
  g_free (options->max_size);
  g_free (options->max_age);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
clean_clear (Clean *clean)
{
  for (guint i = 0; i < G_N_ELEMENTS (clean->on_signal); i++)
    g_clear_handle_id (&clean->on_signal[i], g_source_remove);
  g_clear_pointer (&clean->orphans, th_orphans_free);
  g_clear_pointer (&clean->cache, th_cache_free);
  g_clear_pointer (&clean->loop, g_main_loop_unref);
  g_clear_error (&clean->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Clean, clean_clear)

/* For people; the name for programs is th_sweep_verdict_name. */
static const char *const meanings[TH_SWEEP_N_VERDICTS] = {
  [TH_SWEEP_TEMPORARY] = "left behind by programs that were killed",
  [TH_SWEEP_OUTDATED] = "failures that another version remembered",
  [TH_SWEEP_DAMAGED] = "damaged",
  [TH_SWEEP_ORPHAN] = "of files that are gone",
  [TH_SWEEP_UNUSED] = "not used for too long",
  [TH_SWEEP_EXCESS] = "beyond the size, longest unused",
};

static char *
size_text (guint64 bytes)
{
  return g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
}

static gboolean
is_gone (const ThSweepSource *source, gpointer data)
{
  Clean *clean = data;

  return th_orphans_is_gone (source, clean->orphans);
}

static void
on_removed (const ThSwept *swept, gpointer data)
{
  g_autofree char *path = th_text_for_field (swept->path);
  g_autofree char *uri = th_text_for_field (swept->uri != NULL ? swept->uri : "");

  printf ("%s\t%s\t%s\n", th_sweep_verdict_name (swept->verdict), path, uri);
}

static ThSweepSum
sum_removed (const ThSweepTally *tally)
{
  ThSweepSum sum = { 0 };

  for (guint i = TH_SWEEP_KEPT + 1; i < TH_SWEEP_N_VERDICTS; i++)
    {
      sum.files += tally->verdicts[i].files;
      sum.bytes += tally->verdicts[i].bytes;
    }
  return sum;
}

static void
print_reasons (const ThSweepTally *tally)
{
  for (guint i = TH_SWEEP_KEPT + 1; i < TH_SWEEP_N_VERDICTS; i++)
    {
      g_autofree char *size = size_text (tally->verdicts[i].bytes);

      if (tally->verdicts[i].files > 0)
        printf ("  %8" G_GUINT64_FORMAT "  %10s  %s\n", tally->verdicts[i].files, size,
                meanings[i]);
    }
}

static void
print_summary (const Clean *clean)
{
  const ThSweepTally *tally = &clean->tally;
  ThSweepSum removed = sum_removed (tally);
  g_autofree char *root = th_text_for_people (th_cache_root (clean->cache));
  g_autofree char *freed = size_text (removed.bytes);
  g_autofree char *left = size_text (tally->left.bytes);
  g_autofree char *most = size_text (clean->sweep.budget.max_bytes);

  print_reasons (tally);
  printf ("%s %s in %s (%" G_GUINT64_FORMAT " files).\n",
          clean->options->dry_run ? "Would free" : "Freed", freed, root, removed.files);
  if (clean->end == TH_SWEEP_STOPPED)
    printf ("Interrupted%s.\n", clean->options->dry_run ? "" : "; the next time goes on from here");
  else
    printf ("%s %s in %" G_GUINT64_FORMAT " files; at most are kept: %s, %u days unused.\n",
            clean->options->dry_run ? "There would be left" : "There are left", left,
            tally->left.files, most, clean->sweep.budget.max_age);
}

static void
json_sum (ThJson *json, const char *key, const ThSweepSum *sum)
{
  th_json_begin_object (json, key);
  th_json_size (json, "files", sum->files);
  th_json_size (json, "bytes", sum->bytes);
  th_json_end (json);
}

static void
print_json (const Clean *clean)
{
  g_autoptr (ThJson) json = th_json_new ();
  ThSweepSum removed = sum_removed (&clean->tally);

  th_json_begin_object (json, NULL);
  th_json_string (json, "cache", th_cache_root (clean->cache));
  th_json_boolean (json, "dry-run", clean->options->dry_run);
  th_json_boolean (json, "complete", clean->end == TH_SWEEP_DONE);
  th_json_size (json, "max-bytes", clean->sweep.budget.max_bytes);
  th_json_size (json, "max-age-days", clean->sweep.budget.max_age);
  json_sum (json, "removed", &removed);
  th_json_begin_object (json, "reasons");
  for (guint i = TH_SWEEP_KEPT + 1; i < TH_SWEEP_N_VERDICTS; i++)
    json_sum (json, th_sweep_verdict_name ((ThSweepVerdict) i), &clean->tally.verdicts[i]);
  th_json_end (json);
  json_sum (json, "left", &clean->tally.left);
  th_json_size (json, "failed", clean->tally.failed);
  th_json_end (json);
  puts (th_json_text (json));
}

static gboolean
on_signal (gpointer data)
{
  Clean *clean = data;

  g_atomic_int_set (&clean->stop, 1);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_end (gpointer data)
{
  Clean *clean = data;

  g_main_loop_quit (clean->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
sweep (gpointer data)
{
  Clean *clean = data;

  th_priority_become_idle ();
  clean->end = th_sweep (clean->cache, &clean->sweep, &clean->tally, &clean->error);
  g_idle_add (on_end, clean);
  return NULL;
}

static int
tell_end (const Clean *clean)
{
  const Options *options = clean->options;

  if (clean->end == TH_SWEEP_FAILED)
    fprintf (stderr, "thimblectl: %s\n", clean->error->message);
  /* A timer that meets a person at the same work has nothing to report. */
  if (clean->end == TH_SWEEP_BUSY && !options->background)
    fprintf (stderr, "thimblectl: the cache is being cleaned already\n");
  if (clean->end == TH_SWEEP_FAILED || clean->end == TH_SWEEP_BUSY)
    return clean->end == TH_SWEEP_BUSY && options->background ? CTL_OK : CTL_SOME_FAILED;
  if (clean->tally.failed > 0)
    fprintf (stderr, "thimblectl: %" G_GUINT64_FORMAT " files could not be removed\n",
             clean->tally.failed);
  if (options->json)
    print_json (clean);
  else if (!options->quiet && !options->background)
    print_summary (clean);
  if (fflush (stdout) != 0 || ferror (stdout))
    {
      fprintf (stderr, "thimblectl: standard output cannot be written\n");
      return CTL_SOME_FAILED;
    }
  if (clean->end == TH_SWEEP_STOPPED)
    return CTL_INTERRUPTED;
  return clean->tally.failed > 0 ? CTL_SOME_FAILED : CTL_OK;
}

static int
run (const Options *options, const ThSweepBudget *budget)
{
  g_auto (Clean) clean = { .options = options };
  GThread *thread;

  clean.loop = g_main_loop_new (NULL, FALSE);
  clean.cache = th_cache_new (NULL, "thimble " TH_VERSION);
  clean.orphans = th_orphans_new (clean.cache, NULL);
  clean.sweep = (ThSweepOptions){
    .budget = *budget,
    .dry_run = options->dry_run,
    .is_gone = is_gone,
    .removed = options->verbose ? on_removed : NULL,
    .data = &clean,
    .stop = &clean.stop,
  };
  clean.on_signal[0] = g_unix_signal_add (SIGINT, on_signal, &clean);
  clean.on_signal[1] = g_unix_signal_add (SIGTERM, on_signal, &clean);
  thread = g_thread_try_new ("sweep", sweep, &clean, &clean.error);
  if (thread == NULL)
    {
      fprintf (stderr, "thimblectl: %s\n", clean.error->message);
      return CTL_SOME_FAILED;
    }
  g_main_loop_run (clean.loop);
  g_thread_join (thread);
  return tell_end (&clean);
}

/* A whole number of MiB, or with a letter of that. */
static gboolean
parse_size (const char *text, guint64 *bytes)
{
  static const char letters[] = "KMGT";
  const char *letter;
  char *end;
  guint64 number = g_ascii_strtoull (text, &end, 10);
  guint64 unit = MIB;

  letter = *end != '\0' ? strchr (letters, g_ascii_toupper (*end)) : NULL;
  if (!g_ascii_isdigit (text[0]) || number == G_MAXUINT64 || (*end != '\0' && letter == NULL)
      || (letter != NULL && end[1] != '\0'))
    return FALSE;
  if (letter != NULL)
    unit = (guint64) 1024 << (10 * (letter - letters));
  return g_uint64_checked_mul (bytes, number, unit);
}

static gboolean
refuse (GError **error, const char *text, const char *why)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "“%s” is %s", text, why);
  return FALSE;
}

static gboolean
take_budget (const Options *options, ThSweepBudget *budget, GError **error)
{
  guint64 days;

  if (options->max_size != NULL && !parse_size (options->max_size, &budget->max_bytes))
    return refuse (error, options->max_size, "no size, as 500M or 2G");
  if (options->max_age == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (options->max_age, 10, 0, MAX_DAYS, &days, NULL))
    return refuse (error, options->max_age, "no number of days from 0 to 36500");
  budget->max_age = (guint32) days;
  return TRUE;
}

static gboolean
load_budget (ThSweepBudget *budget)
{
  g_autoptr (GError) error = NULL;
  ThEngineOptions engine;
  gboolean loaded;

  th_engine_options_init (&engine);
  loaded = th_engine_options_load (&engine, &error);
  *budget = engine.sweep;
  for (guint i = 0; engine.problems != NULL && i < engine.problems->len; i++)
    fprintf (stderr, "%s\n", (char *) engine.problems->pdata[i]);
  th_engine_options_clear (&engine);
  /* With other limits than were asked for nothing is thrown away. */
  if (!loaded)
    fprintf (stderr, "thimblectl: %s\n", error->message);
  return loaded;
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &options->dry_run, "Remove nothing; tell what would go",
      NULL },
    { "max-size", 's', 0, G_OPTION_ARG_STRING, &options->max_size,
      "Keep at most so much: 500M, 2G; 0 removes all (default: max-size-mib of thimble.conf, 1G)",
      "SIZE" },
    { "max-age", 'd', 0, G_OPTION_ARG_STRING, &options->max_age,
      "Keep nothing that was not used for so many days (max-age-days of thimble.conf, 180)",
      "DAYS" },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "Print nothing but failures", NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose,
      "Print a line for each file that goes: reason, tabulator, file, tabulator, URI of what it "
      "was made of (both escaped as in C)",
      NULL },
    { "background", 'b', 0, G_OPTION_ARG_NONE, &options->background,
      "For timers: quiet, and content where somebody else is cleaning", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (
      context,
      "Removes thumbnails that are of no use: of files that are gone, damaged, not used for\n"
      "long, and then the longest unused until the rest is no larger than it may be. Those of\n"
      "media and servers that are not there now stay. It gives way to all other work.");
  g_option_context_set_description (
      context, "Exit status: 0 all is well, 1 some failed, 2 wrong usage, 130 interrupted.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 1)
    return refuse (error, argv[1], "one argument too many");
  if (options->json && options->verbose)
    return refuse (error, "--verbose", "not to be had with --json");
  return TRUE;
}

int
ctl_clean (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  ThSweepBudget budget;

  g_set_prgname ("thimblectl clean");
  if (parse (argc, argv, &options, &error))
    {
      if (!load_budget (&budget))
        return CTL_SOME_FAILED;
      if (take_budget (&options, &budget, &error))
        return run (&options, &budget);
    }
  fprintf (stderr, "thimblectl clean: %s\nthimblectl clean --help tells more.\n", error->message);
  return CTL_USAGE;
}
