/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time and peak memory of making thumbnails in this process, without workers, cache or bus:
 *   bench-render [--runs N] [--no-previews] FILE|FOLDER…
 * One line a flavor and one for all flavors at once, summed over the files: medians of N runs after
 * one that does not count. Each case is a process of its own, so that the peak is the case's. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/th-codec.h"
#include "core/th-render.h"

/* meson's word for a benchmark that had nothing to do. */
#define SKIPPED 77

typedef struct
{
  const char *name;
  guint32 boxes[TH_N_FLAVORS];
  guint n_boxes;
} Case;

static const Case cases[] = {
  { "normal", { 128 }, 1 },
  { "large", { 256 }, 1 },
  { "x-large", { 512 }, 1 },
  { "xx-large", { 1024 }, 1 },
  { "all", { 1024, 512, 256, 128 }, 4 },
};

/* Milliseconds of CPU. */
typedef struct
{
  double open;   /* sniff, header, plan */
  double decode; /* rows into a sink that drops them */
  double rest;   /* shrink, colour, orient: the whole less the decoding */
  gboolean from_preview;
} Times;

/* As a worker does it: what profiles came to is kept from file to file. */
typedef struct
{
  const ThLimits *limits;
  ThColorCache *colors;
} Way;

typedef struct
{
  Times times;
  guint32 files;
  guint32 failed;
  guint32 previews; /* files of which an embedded preview was taken */
} Sums;

static double
cpu_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static gboolean
drop_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  return TRUE;
}

/* The codec alone, by the contract that th-render follows. */
static gboolean
decode_only (int fd, const Case *bench, const ThLimits *limits, gboolean *from_preview)
{
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  const ThCodec *codec = th_codec_sniff (input);
  ThSink sink = { drop_rows };
  ThSize targets[TH_N_FLAVORS];
  const ThHeader *header;
  ThSession *session;
  ThStatus status;
  ThPlan plan;

  if (codec == NULL || codec->open (input, limits, &session, NULL) != TH_STATUS_OK)
    return FALSE;
  header = codec->header (session);
  for (guint i = 0; i < bench->n_boxes; i++)
    targets[i] = th_fit (header->size, bench->boxes[i]);
  status = codec->plan (session, targets, bench->n_boxes, &plan)
               ? codec->decode (session, &plan, &sink, NULL)
               : TH_STATUS_TOO_LARGE;
  *from_preview = plan.from_preview;
  codec->close (session);
  return th_status_has_pixels (status);
}

static void
make_results (const ThRenderPlan *plan, const Case *bench, ThImage *results)
{
  for (guint i = 0; i < bench->n_boxes; i++)
    {
      const ThSize size = plan->scalable ? th_fit_scalable (plan->full, bench->boxes[i])
                                         : th_fit (plan->full, bench->boxes[i]);
      const gsize stride = (gsize) size.width * plan->channels;

      results[i] = (ThImage){ size, plan->channels, stride, g_malloc (stride * size.height) };
    }
}

static gboolean
render_once (int fd, const Case *bench, const Way *way, Times *times)
{
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (ThRender) render = NULL;
  ThImage results[TH_N_FLAVORS];
  const double start = cpu_ms ();
  ThStatus status;
  double opened;

  status =
      th_render_open (input, way->limits, bench->boxes, bench->n_boxes, way->colors, &render, NULL);
  opened = cpu_ms ();
  if (status != TH_STATUS_OK)
    return FALSE;
  make_results (th_render_plan (render), bench, results);
  status = th_render_run (render, results, NULL);
  *times = (Times){ .open = opened - start, .rest = cpu_ms () - opened };
  for (guint i = 0; i < bench->n_boxes; i++)
    g_free (results[i].data);
  return th_status_has_pixels (status);
}

static gboolean
measure_once (int fd, const Case *bench, const Way *way, Times *times)
{
  double start;

  if (!render_once (fd, bench, way, times))
    return FALSE;
  start = cpu_ms ();
  if (!decode_only (fd, bench, way->limits, &times->from_preview))
    return FALSE;
  times->decode = cpu_ms () - start;
  times->rest = MAX (times->rest + times->open - times->decode, 0.0);
  times->decode -= times->open;
  return TRUE;
}

static int
by_value (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values, guint n)
{
  qsort (values, n, sizeof *values, by_value);
  return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2.0;
}

static void
measure_file (const char *path, const Case *bench, guint runs, const Way *way, Sums *sums)
{
  g_autofree double *open_ms = g_new (double, runs);
  g_autofree double *decode_ms = g_new (double, runs);
  g_autofree double *rest_ms = g_new (double, runs);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  Times times = { 0 };
  gboolean ok = fd >= 0;

  ok = ok && measure_once (fd, bench, way, &times);
  for (guint run = 0; ok && run < runs; run++)
    {
      ok = measure_once (fd, bench, way, &times);
      open_ms[run] = times.open;
      decode_ms[run] = times.decode;
      rest_ms[run] = times.rest;
    }
  if (fd >= 0)
    close (fd);
  sums->files++;
  sums->failed += ok ? 0 : 1;
  if (!ok)
    return;
  sums->times.open += median (open_ms, runs);
  sums->times.decode += median (decode_ms, runs);
  sums->times.rest += median (rest_ms, runs);
  sums->previews += times.from_preview ? 1 : 0;
}

/* The whole case in a child; its sums come back through a pipe. */
static gboolean
run_case (const GPtrArray *paths, const Case *bench, guint runs, const ThLimits *limits)
{
  struct rusage usage = { 0 };
  Sums sums = { 0 };
  int ends[2];
  pid_t child;

  if (pipe (ends) != 0)
    return FALSE;
  child = fork ();
  if (child == 0)
    {
      const Way way = { limits, th_color_cache_new () };

      for (guint i = 0; i < paths->len; i++)
        measure_file (paths->pdata[i], bench, runs, &way, &sums);
      _exit (write (ends[1], &sums, sizeof sums) == sizeof sums ? 0 : 1);
    }
  close (ends[1]);
  if (child < 0 || read (ends[0], &sums, sizeof sums) != sizeof sums)
    sums.failed = paths->len;
  close (ends[0]);
  while (child > 0 && wait4 (child, NULL, 0, &usage) < 0 && errno == EINTR)
    ;
  g_print ("%-9s files %u failed %u previews %u  ms: total %.1f open %.1f decode %.1f rest %.1f  "
           "peak RSS %.1f MB\n",
           bench->name, sums.files, sums.failed, sums.previews,
           sums.times.open + sums.times.decode + sums.times.rest, sums.times.open,
           sums.times.decode, sums.times.rest, (double) usage.ru_maxrss / 1024.0);
  return sums.failed == 0;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* A file, or the files that lie directly in a folder. */
static void
add_path (GPtrArray *paths, const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    {
      g_ptr_array_add (paths, g_strdup (path));
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, name, NULL);

      if (g_file_test (full, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (paths, g_steal_pointer (&full));
    }
  g_dir_close (dir);
  g_ptr_array_sort (paths, by_name);
}

int
main (int argc, char **argv)
{
  int runs = 5;
  gboolean no_previews = FALSE;
  g_auto (GStrv) names = NULL;
  const GOptionEntry entries[] = {
    { "runs", 'n', 0, G_OPTION_ARG_INT, &runs, "Runs that count, after one that does not", "N" },
    { "no-previews", 0, 0, G_OPTION_ARG_NONE, &no_previews, "Decode the main pictures", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &names, NULL, "FILE|FOLDER…" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;
  ThLimits limits;

  th_limits_init (&limits);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || runs < 1)
    {
      g_printerr ("bench-render: %s\n", error != NULL ? error->message : "--runs is at least 1");
      return EXIT_FAILURE;
    }
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    add_path (paths, names[i]);
  if (paths->len == 0)
    {
      g_printerr ("bench-render: no pictures given\n");
      return SKIPPED;
    }
  limits.embedded_previews = !no_previews;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    ok = run_case (paths, &cases[i], (guint) runs, &limits) && ok;
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
