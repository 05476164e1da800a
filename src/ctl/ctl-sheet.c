/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-sheet.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cache/th-atomic.h"
#include "cache/th-cache.h"
#include "cache/th-uri.h"
#include "ctl/ctl-status.h"
#include "ctl/th-maker.h"
#include "ctl/th-progress.h"
#include "ctl/th-sheet.h"
#include "ctl/th-text.h"
#include "engine/th-view.h"

#define DEFAULT_OUTPUT "sheet.png"
#define TITLE          "Contact sheet by thimble"
#define MOST_COLUMNS   1000

typedef struct
{
  char *output;
  char *flavor_name;
  int columns; /* 0: not named */
  gboolean hidden;
  gboolean local;
  gboolean no_names;
  gboolean quiet;
  char **arguments;
  ThFlavor flavor;
} Options;

typedef struct
{
  const Options *options;
  GMainLoop *loop;
  ThCache *cache;
  ThWalk *walk;
  ThMaker *maker;
  ThBackend *backend;
  ThProgress *progress;
  GPtrArray *uris;   /* as they were found */
  GHashTable *ready; /* of the same strings those that have a thumbnail */
  ThEngine *engine;  /* whose workers read thumbnails and draw names */
  guint failed;
  gboolean interrupted;
} Job;

static void
options_clear (Options *options)
{
  g_free (options->output);
  g_free (options->flavor_name);
  g_strfreev (options->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
job_clear (Job *job)
{
  g_clear_pointer (&job->progress, th_progress_free);
  g_clear_pointer (&job->maker, th_maker_free);
  g_clear_pointer (&job->backend, th_backend_free);
  g_clear_pointer (&job->engine, th_engine_free);
  g_clear_pointer (&job->walk, th_walk_free);
  g_clear_pointer (&job->ready, g_hash_table_unref);
  g_clear_pointer (&job->uris, g_ptr_array_unref);
  g_clear_pointer (&job->cache, th_cache_free);
  g_clear_pointer (&job->loop, g_main_loop_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static void
tell (Job *job, const char *text)
{
  g_autofree char *line = th_text_for_people (text);

  th_progress_clear (job->progress);
  fprintf (stderr, "%s\n", line);
}

static ThFlavors
on_found (const ThWalkFile *file, gpointer data)
{
  Job *job = data;

  g_ptr_array_add (job->uris, g_strdup (file->uri));
  return TH_FLAVOR_BIT (job->options->flavor);
}

static void
on_ready (const ThWalkFile *file, ThFlavor flavor, gpointer data)
{
  Job *job = data;
  const ThTally *tally = th_maker_tally (job->maker);
  ThProgressState state = {
    .done = tally->ready + tally->skipped + tally->failed,
    .failed = tally->failed,
    .total = job->uris->len,
  };

  g_hash_table_add (job->ready, g_strdup (file->uri));
  th_progress_update (job->progress, &state);
}

static void
on_failed (const ThWalkFile *file, const char *message, gpointer data)
{
  Job *job = data;
  g_autofree char *about =
      file != NULL ? th_text_about (message, file->uri, file->path) : g_strdup (message);
  const char *name = file == NULL ? NULL : file->path != NULL ? file->path : file->uri;
  g_autofree char *text = name != NULL ? g_strdup_printf ("%s: %s", name, about) : g_strdup (about);

  job->failed++;
  tell (job, text);
}

static void
on_done (gpointer data)
{
  g_main_loop_quit (((Job *) data)->loop);
}

static gboolean
on_interrupt (gpointer data)
{
  Job *job = data;

  job->interrupted = TRUE;
  g_main_loop_quit (job->loop);
  return G_SOURCE_CONTINUE;
}

/* Has the thumbnails made that are missing. */
static gboolean
make (Job *job, GError **error)
{
  static const ThMakerEvents events = {
    .found = on_found,
    .ready = on_ready,
    .failed = on_failed,
    .done = on_done,
  };
  const Options *options = job->options;
  guint signals[2];

  job->walk = th_walk_new ((const char *const *) options->arguments, options->hidden,
                           th_cache_root (job->cache));
  job->maker =
      th_maker_new (job->walk, TH_FLAVOR_BIT (options->flavor), TH_FOREGROUND, &events, job);
  if (!options->local)
    job->backend = th_backend_bus_new (&th_maker_backend_events, job->maker);
  if (job->backend == NULL)
    job->backend = th_backend_local_new (&th_maker_backend_events, job->maker, 0, error);
  if (job->backend == NULL)
    return FALSE;
  signals[0] = g_unix_signal_add (SIGINT, on_interrupt, job);
  signals[1] = g_unix_signal_add (SIGTERM, on_interrupt, job);
  th_maker_start (job->maker, job->backend);
  g_main_loop_run (job->loop);
  g_source_remove (signals[0]);
  g_source_remove (signals[1]);
  g_clear_pointer (&job->backend, th_backend_free);
  th_progress_clear (job->progress);
  return TRUE;
}

static void
ignore_handle (guint32 handle, gpointer data)
{
}

static void
ignore_ready (guint32 handle, const char *const *uris, gpointer data)
{
}

static void
ignore_error (guint32 handle, const char *const *uris, ThError code, const char *message,
              gpointer data)
{
}

/* Nothing is ever queued. */
static const ThEngineEvents no_events = {
  .started = ignore_handle,
  .ready = ignore_ready,
  .error = ignore_error,
  .finished = ignore_handle,
};

static gboolean
start_engine (Job *job, GError **error)
{
  ThEngineOptions options;

  th_engine_options_init (&options);
  if (th_engine_options_load (&options, error))
    job->engine = th_engine_new (&options, &no_events, NULL, error);
  th_engine_options_clear (&options);
  return job->engine != NULL;
}

static gboolean
is_sheet (const char *path)
{
  g_autoptr (ThPngText) text = th_png_text_read (path, NULL);

  return text != NULL && g_strcmp0 (th_png_text_get (text, "Title"), TITLE) == 0;
}

/* An earlier sheet in the folder is no picture of it. */
static gboolean
is_to_be_shown (Job *job, const char *uri)
{
  g_autofree char *path = th_uri_to_path (uri, NULL);

  return g_hash_table_contains (job->ready, uri) && (path == NULL || !is_sheet (path));
}

static void
keep_shown (Job *job)
{
  guint kept = 0;

  for (guint i = 0; i < job->uris->len; i++)
    if (is_to_be_shown (job, job->uris->pdata[i]))
      {
        char *other = job->uris->pdata[kept];

        job->uris->pdata[kept++] = job->uris->pdata[i];
        job->uris->pdata[i] = other;
      }
  g_ptr_array_set_size (job->uris, (int) kept);
}

static void
draw_picture (Job *job, ThSheet *sheet, guint cell, const char *uri)
{
  g_autofree char *path = th_cache_path (job->cache, uri, job->options->flavor);
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;

  if (th_view_file (job->engine, path, sheet->box, &decoded, &error))
    th_sheet_put (sheet, cell, &decoded.images[0]);
  else
    on_failed (NULL, error->message, job);
}

static void
draw_name (Job *job, ThSheet *sheet, guint cell, const char *uri)
{
  g_autofree char *whole = g_uri_unescape_string (uri, NULL);
  g_autofree char *name = g_path_get_basename (whole != NULL ? whole : uri);
  g_autofree char *svg = th_sheet_label (name, sheet->box);
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;

  if (th_view_svg (job->engine, svg, sheet->box, &decoded, &error))
    th_sheet_put_label (sheet, cell, &decoded.images[0]);
  else
    on_failed (NULL, error->message, job);
}

static gboolean
write_sheet (const ThSheet *sheet, const char *path, GError **error)
{
  static const ThPngTextEntry text[] = {
    { "Title", TITLE },
    { "Software", "thimble " TH_VERSION },
  };
  g_autoptr (ThPngBody) body = th_png_encode (&sheet->canvas);
  g_autoptr (GBytes) bytes = NULL;

  if (body == NULL)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "there is no memory to write “%s”", path);
      return FALSE;
    }
  bytes = th_png_assemble (body, text, G_N_ELEMENTS (text));
  return th_atomic_write (path, bytes, error);
}

/* The first is what was named, others have their number before the suffix. */
static char *
name_page (const Options *options, guint page)
{
  const char *output = options->output != NULL ? options->output : DEFAULT_OUTPUT;
  g_autofree char *path = g_canonicalize_filename (output, NULL);
  g_autofree char *stem = NULL;

  if (page == 0)
    return g_steal_pointer (&path);
  stem = g_str_has_suffix (path, ".png") ? g_strndup (path, strlen (path) - strlen (".png"))
                                         : g_strdup (path);
  return g_strdup_printf ("%s-%u.png", stem, page + 1);
}

/* What was named is written over, and what are further pages of an earlier one; nothing else is. */
static gboolean
may_write (const Options *options, guint pages, GError **error)
{
  for (guint page = 0; page < pages; page++)
    {
      g_autofree char *path = name_page (options, page);
      gboolean ours = options->output != NULL && (page == 0 || is_sheet (path));

      if (ours || !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                   "“%s” is there already and stays; --output names another file%s", path,
                   options->output == NULL ? ", or this one" : "");
      return FALSE;
    }
  return TRUE;
}

static gboolean
draw_page (Job *job, guint page, guint from, guint n, guint columns, GError **error)
{
  const Options *options = job->options;
  gboolean names = !options->no_names && th_view_has_svg (job->engine);
  g_autofree char *path = name_page (options, page);
  g_auto (ThSheet) sheet = { 0 };

  if (!th_sheet_init (&sheet, th_flavor_box (options->flavor), columns, n, names, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      draw_picture (job, &sheet, i, job->uris->pdata[from + i]);
      if (names)
        draw_name (job, &sheet, i, job->uris->pdata[from + i]);
    }
  if (!write_sheet (&sheet, path, error))
    return FALSE;
  if (!options->quiet)
    printf ("%s\n", path);
  return TRUE;
}

static gboolean
draw (Job *job, GError **error)
{
  const Options *options = job->options;
  guint32 box = th_flavor_box (options->flavor);
  guint n = job->uris->len;
  guint columns = options->columns > 0 ? (guint) options->columns : th_sheet_columns (box, n);
  guint most = th_sheet_most_cells (box, columns);
  guint page = 0;

  if (most == 0)
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "%u columns of %u pixels are too wide for a picture", columns, box);
      return FALSE;
    }
  if (!may_write (options, (n + most - 1) / most, error) || !start_engine (job, error))
    return FALSE;
  if (!options->no_names && !th_view_has_svg (job->engine))
    tell (job, "The names are left out: they are drawn by the module svg, which is not installed");
  for (guint from = 0; from < n; from += most)
    if (!draw_page (job, page++, from, n - from < most ? n - from : most, columns, error))
      return FALSE;
  return TRUE;
}

static int
run (const Options *options)
{
  g_auto (Job) job = { .options = options };
  g_autoptr (GError) error = NULL;

  job.loop = g_main_loop_new (NULL, FALSE);
  job.cache = th_cache_new (NULL, "thimble " TH_VERSION);
  job.uris = g_ptr_array_new_with_free_func (g_free);
  job.ready = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job.progress = th_progress_new (options->quiet ? TH_PROGRESS_NONE : th_progress_best_style ());
  if (!make (&job, &error))
    {
      tell (&job, error->message);
      return CTL_SOME_FAILED;
    }
  if (job.interrupted)
    return CTL_INTERRUPTED;
  keep_shown (&job);
  if (job.uris->len == 0)
    {
      tell (&job, "There is nothing to show: no file has a thumbnail");
      return CTL_SOME_FAILED;
    }
  if (!draw (&job, &error))
    {
      tell (&job, error->message);
      return CTL_SOME_FAILED;
    }
  return job.failed > 0 ? CTL_SOME_FAILED : CTL_OK;
}

static gboolean
check (Options *options, GError **error)
{
  options->flavor = TH_FLAVOR_LARGE;
  if (options->flavor_name != NULL && !th_flavor_from_name (options->flavor_name, &options->flavor))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "“%s” is none of normal, large, x-large, xx-large", options->flavor_name);
  else if (options->columns < 0 || options->columns > MOST_COLUMNS)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "“%d” is no number of columns from 1 to %d", options->columns, MOST_COLUMNS);
  else if (options->arguments == NULL || options->arguments[0] == NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "No folder is named");
  else
    return TRUE;
  return FALSE;
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
      "Where the picture goes; without it to sheet.png, which must not be there yet", "FILE.png" },
    { "columns", 'c', 0, G_OPTION_ARG_INT, &options->columns,
      "So many in a row; without it as many as a screen has room for", "N" },
    { "flavor", 'f', 0, G_OPTION_ARG_STRING, &options->flavor_name,
      "normal (128 pixels), large (256, the default), x-large (512) or xx-large (1024)", "FLAVOR" },
    { "no-names", 'n', 0, G_OPTION_ARG_NONE, &options->no_names, "Leave the names out", NULL },
    { "hidden", 'a', 0, G_OPTION_ARG_NONE, &options->hidden,
      "Enter hidden folders and take hidden files", NULL },
    { "local", 'l', 0, G_OPTION_ARG_NONE, &options->local,
      "Make what is missing in this process also where there is a service", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "Print nothing but failures", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL,
      "FOLDER|FILE…" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (
      context,
      "Puts the thumbnails of all files in a folder, and in those below it, on one\n"
      "picture, with their names, and prints where it is. Thumbnails that are missing are\n"
      "made first. What is too much for one picture goes on in FILE-2.png and so on.");
  g_option_context_set_description (
      context, "Exit status: 0 all is well, 1 some failed, 2 wrong usage, 130 interrupted.\n"
               "Files without a thumbnail are left out. Only you can read the picture.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, &argc, &argv, error) && check (options, error);
}

int
ctl_sheet (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;

  g_set_prgname ("thimblectl sheet");
  if (parse (argc, argv, &options, &error))
    return run (&options);
  fprintf (stderr, "thimblectl sheet: %s\nthimblectl sheet --help tells more.\n", error->message);
  return CTL_USAGE;
}
