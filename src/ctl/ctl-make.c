/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-make.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>

#include "cache/th-cache.h"
#include "cache/th-fail.h"
#include "cache/th-forget.h"
#include "ctl/ctl-status.h"
#include "ctl/th-maker.h"
#include "ctl/th-progress.h"
#include "ctl/th-rate.h"
#include "ctl/th-text.h"

#define COUNT_STEPS 256u
#define MOST_JOBS   256
#define ALL_FLAVORS ((1u << TH_N_FLAVORS) - 1)

typedef struct
{
  char **flavor_names;
  char **arguments;
  ThFlavors flavors;
  gboolean background;
  gboolean local;
  int jobs; /* decoders at a time; 0: not named */
  gboolean hidden;
  gboolean retry;
  gboolean refresh;    /* make anew what there is, and where there is nothing what is named */
  gboolean is_default; /* no flavor was named */
  gboolean quiet;
  gboolean verbose;
} Options;

typedef struct
{
  const Options *options;
  GMainLoop *loop;
  ThCache *cache;
  ThWalk *walk;
  ThWalk *counter; /* runs ahead, only to know how much there is */
  guint counting;
  guint on_interrupt[2];
  ThMaker *maker;
  ThBackend *backend;
  ThProgress *progress;
  ThProgressState state;
  ThRate rate;
  gint64 begin;
  gboolean interrupted;
  gboolean trouble_told;
} Make;

static void
options_clear (Options *options)
{
  g_strfreev (options->flavor_names);
  g_strfreev (options->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
make_clear (Make *make)
{
  g_clear_handle_id (&make->counting, g_source_remove);
  for (guint i = 0; i < G_N_ELEMENTS (make->on_interrupt); i++)
    g_clear_handle_id (&make->on_interrupt[i], g_source_remove);
  g_clear_pointer (&make->progress, th_progress_free);
  g_clear_pointer (&make->maker, th_maker_free);
  g_clear_pointer (&make->backend, th_backend_free);
  g_clear_pointer (&make->counter, th_walk_free);
  g_clear_pointer (&make->walk, th_walk_free);
  g_clear_pointer (&make->cache, th_cache_free);
  g_clear_pointer (&make->loop, g_main_loop_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Make, make_clear)

/* The bar gives way to what is printed. */
static void
tell (Make *make, const char *text)
{
  g_autofree char *line = th_text_for_people (text);

  th_progress_clear (make->progress);
  fflush (stdout);
  fprintf (stderr, "%s\n", line);
}

static void
refresh (Make *make)
{
  const ThTally *tally = th_maker_tally (make->maker);

  make->state.done = tally->ready + tally->skipped + tally->failed;
  make->state.failed = tally->failed;
  th_rate_note (&make->rate, g_get_monotonic_time (), make->state.done);
  make->state.per_second = th_rate_per_second (&make->rate);
  if (make->state.total_known && make->state.total > make->state.done)
    make->state.seconds_left = th_rate_seconds (&make->rate, make->state.total - make->state.done);
  th_progress_update (make->progress, &make->state);
}

/* Forgets all that is kept of exactly this file. */
static ThFlavors
forget (Make *make, const char *uri)
{
  const Options *options = make->options;
  const gint go_on = 0;
  guint32 there;

  th_forget_uris (make->cache, &uri, 1, &there, &go_on);
  there &= ALL_FLAVORS;
  return options->is_default && there != 0 ? there : options->flavors | there;
}

static ThFlavors
on_found (const ThWalkFile *file, gpointer data)
{
  Make *make = data;

  if (make->options->refresh)
    return forget (make, file->uri);
  if (make->options->retry)
    th_fail_forget (make->cache, file->uri, G_MAXUINT32);
  return make->options->flavors;
}

static void
on_ready (const ThWalkFile *file, ThFlavor flavor, gpointer data)
{
  Make *make = data;

  if (make->options->verbose)
    {
      g_autofree char *thumbnail = th_cache_path (make->cache, file->uri, flavor);
      g_autofree char *from = th_text_for_field (file->path != NULL ? file->path : file->uri);
      g_autofree char *to = th_text_for_field (thumbnail);

      th_progress_clear (make->progress);
      printf ("%s\t%s\n", from, to);
    }
  refresh (make);
}

static void
tell_trouble (Make *make)
{
  g_autofree char *trouble = make->trouble_told ? NULL : th_backend_trouble (make->backend);
  g_autofree char *text = NULL;

  if (trouble == NULL)
    return;
  text = g_strdup_printf ("No picture can be decoded on this system: %s", trouble);
  tell (make, text);
  make->trouble_told = TRUE;
}

static void
tell_file (Make *make, const ThWalkFile *file, const char *message)
{
  g_autofree char *about = th_text_about (message, file->uri, file->path);
  g_autofree char *text =
      g_strdup_printf ("%s: %s", file->path != NULL ? file->path : file->uri, about);

  tell (make, text);
}

static void
on_failed (const ThWalkFile *file, const char *message, gpointer data)
{
  Make *make = data;

  if (file == NULL)
    tell (make, message);
  else
    tell_file (make, file, message);
  tell_trouble (make);
  refresh (make);
}

static void
on_done (gpointer data)
{
  Make *make = data;

  g_main_loop_quit (make->loop);
}

static gboolean
on_interrupt (gpointer data)
{
  Make *make = data;

  make->interrupted = TRUE;
  g_main_loop_quit (make->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_count (gpointer data)
{
  Make *make = data;

  for (guint i = 0; i < COUNT_STEPS && !make->state.total_known; i++)
    {
      g_auto (ThWalkFile) file = { NULL };
      g_autofree char *problem = NULL;

      if (th_walk_next (make->counter, &file, &problem) == TH_WALK_END)
        make->state.total_known = TRUE;
      else
        make->state.total++;
    }
  refresh (make);
  if (!make->state.total_known)
    return G_SOURCE_CONTINUE;
  make->counting = 0;
  return G_SOURCE_REMOVE;
}

static gboolean
open_backend (Make *make, GError **error)
{
  if (!make->options->local && make->options->jobs == 0)
    make->backend = th_backend_bus_new (&th_maker_backend_events, make->maker);
  if (make->backend == NULL)
    make->backend = th_backend_local_new (&th_maker_backend_events, make->maker,
                                          (guint) make->options->jobs, error);
  return make->backend != NULL;
}

static gboolean
start (Make *make, GError **error)
{
  static const ThMakerEvents events = {
    .found = on_found,
    .ready = on_ready,
    .failed = on_failed,
    .done = on_done,
  };
  const Options *options = make->options;
  const char *const *arguments = (const char *const *) options->arguments;

  make->begin = g_get_monotonic_time ();
  make->loop = g_main_loop_new (NULL, FALSE);
  make->cache = th_cache_new (NULL, "thimble " TH_VERSION);
  make->walk = th_walk_new (arguments, options->hidden, th_cache_root (make->cache));
  make->counter = th_walk_new (arguments, options->hidden, th_cache_root (make->cache));
  make->maker = th_maker_new (make->walk, options->refresh ? ALL_FLAVORS : options->flavors,
                              options->background ? TH_BACKGROUND : TH_FOREGROUND, &events, make);
  make->progress = th_progress_new (options->quiet ? TH_PROGRESS_NONE : th_progress_best_style ());
  if (!open_backend (make, error))
    return FALSE;
  make->on_interrupt[0] = g_unix_signal_add (SIGINT, on_interrupt, make);
  make->on_interrupt[1] = g_unix_signal_add (SIGTERM, on_interrupt, make);
  if (!options->quiet)
    make->counting = g_idle_add (on_count, make);
  th_maker_start (make->maker, make->backend);
  return TRUE;
}

/* Whether a thumbnail was made just now or was there cannot be told from the answers. */
static void
summarize (Make *make)
{
  const ThTally *tally = th_maker_tally (make->maker);
  double seconds = (double) (g_get_monotonic_time () - make->begin) / G_USEC_PER_SEC;
  gboolean anew = make->options->refresh;
  g_autofree char *flavors = g_strjoinv (", ", make->options->flavor_names);
  g_autofree char *text = g_strdup_printf (
      "%s%" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
      " skipped (no handler, download), %" G_GUINT64_FORMAT
      " failed, in %.1f s by %s; thumbnails (%s) are in %s",
      make->interrupted ? "Interrupted: " : "", tally->ready,
      anew ? "made anew" : "made or up to date", tally->skipped, tally->failed, seconds,
      th_backend_who (make->backend),
      anew && make->options->is_default ? "those that there were, else large" : flavors,
      th_cache_root (make->cache));

  if (!make->options->quiet)
    tell (make, text);
}

static int
run (const Options *options)
{
  g_auto (Make) make = { .options = options };
  g_autoptr (GError) error = NULL;

  if (!start (&make, &error))
    {
      fprintf (stderr, "thimblectl: %s\n", error->message);
      return CTL_SOME_FAILED;
    }
  g_main_loop_run (make.loop);
  summarize (&make);
  if (make.interrupted)
    return CTL_INTERRUPTED;
  if (fflush (stdout) != 0 || ferror (stdout))
    {
      fprintf (stderr, "thimblectl: standard output cannot be written\n");
      return CTL_SOME_FAILED;
    }
  return th_maker_tally (make.maker)->failed > 0 ? CTL_SOME_FAILED : CTL_OK;
}

static gboolean
check (Options *options, GError **error)
{
  static const char *const default_flavors[] = { "large", NULL };

  options->is_default = options->flavor_names == NULL;
  if (options->is_default)
    options->flavor_names = g_strdupv ((char **) default_flavors);
  for (char **name = options->flavor_names; *name != NULL; name++)
    {
      ThFlavor flavor;

      if (!th_flavor_from_name (*name, &flavor))
        {
          g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                       "“%s” is none of normal, large, x-large, xx-large", *name);
          return FALSE;
        }
      options->flavors |= TH_FLAVOR_BIT (flavor);
    }
  if (options->jobs < 0 || options->jobs > MOST_JOBS)
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "“%d” is no number of files from 1 to %d", options->jobs, MOST_JOBS);
      return FALSE;
    }
  if (options->arguments != NULL && options->arguments[0] != NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "No file or folder is named");
  return FALSE;
}

/* What each of the two commands says of itself. */
typedef struct
{
  const char *name;
  const char *summary;
  const char *flavor;
} Command;

static const Command make_command = {
  "thimblectl make",
  "Makes the thumbnails of files, and of all files in folders, that are not up to date.\n"
  "Files and folders are paths or URIs. Symlinks to folders are not followed.",
  "normal (128 pixels), large (256, the default), x-large (512) or xx-large (1024); may be given "
  "several times",
};

static const Command refresh_command = {
  "thimblectl refresh",
  "Forgets the thumbnails of files, and of all files in folders, and that some could not be made,\n"
  "and makes them anew. Nothing else of the cache is touched. Files and folders are paths or "
  "URIs.\n"
  "Symlinks to folders are not followed.",
  "normal, large, x-large or xx-large, beside those that there are; may be given several times. "
  "Default: those that there are, else large",
};

static gboolean
parse (int argc, char **argv, const Command *command, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "flavor", 'f', 0, G_OPTION_ARG_STRING_ARRAY, &options->flavor_names, command->flavor,
      "FLAVOR" },
    { "background", 'b', 0, G_OPTION_ARG_NONE, &options->background,
      "Work at idle priority, behind what file managers ask for", NULL },
    { "hidden", 'a', 0, G_OPTION_ARG_NONE, &options->hidden,
      "Enter hidden folders and take hidden files", NULL },
    { "local", 'l', 0, G_OPTION_ARG_NONE, &options->local,
      "Work in this process also where there is a service", NULL },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &options->jobs,
      "Decode so many files at a time, in this process; without it as many as there are cores",
      "N" },
    { "retry-failed", 'r', options->refresh ? G_OPTION_FLAG_HIDDEN : 0, G_OPTION_ARG_NONE,
      &options->retry, "Forget that thumbnails of these files could not be made, and try again",
      NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "Print nothing but failures", NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose,
      "Print a line for each thumbnail: file, tabulator, thumbnail (both escaped as in C)", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL,
      "FILE|FOLDER…" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, command->summary);
  g_option_context_set_description (
      context, "Exit status: 0 all is well, 1 some failed, 2 wrong usage, 130 interrupted.\n"
               "A file of a folder whose type no handler knows, or whose name is that of a\n"
               "download under way, is skipped and no failure.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, &argc, &argv, error) && check (options, error);
}

static int
serve (int argc, char **argv, const Command *command, Options *options)
{
  g_autoptr (GError) error = NULL;

  g_set_prgname (command->name);
  if (parse (argc, argv, command, options, &error))
    return run (options);
  fprintf (stderr, "%s: %s\n%s --help tells more.\n", command->name, error->message, command->name);
  return CTL_USAGE;
}

int
ctl_make (int argc, char **argv)
{
  g_auto (Options) options = { NULL };

  return serve (argc, argv, &make_command, &options);
}

int
ctl_refresh (int argc, char **argv)
{
  g_auto (Options) options = { .refresh = TRUE };

  return serve (argc, argv, &refresh_command, &options);
}
