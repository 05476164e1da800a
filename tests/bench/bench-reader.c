/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench-reader: what it costs to look at and read a local file of 1 MB through another process,
 * against doing it here; what a reader takes to start; and what an idle one holds. For GVfs it
 * wants a session bus. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/th-open.h"
#include "engine/th-readers.h"

#define SIZE   1000000u
#define ROUNDS 2000u
#define STARTS 50u

typedef struct
{
  ThReaders *readers;
  char *path;
} Bench;

typedef void (*Step) (Bench *bench);

static int
compare (const void *a, const void *b)
{
  const gint64 *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The median and the 95th percentile. */
static void
measure (Bench *bench, const char *name, Step step, guint rounds)
{
  g_autofree gint64 *times = g_new (gint64, rounds);

  step (bench);
  for (guint i = 0; i < rounds; i++)
    {
      gint64 start = g_get_monotonic_time ();

      step (bench);
      times[i] = g_get_monotonic_time () - start;
    }
  qsort (times, rounds, sizeof *times, compare);
  printf ("%-36s %7" G_GINT64_FORMAT " µs, %7" G_GINT64_FORMAT " µs\n", name, times[rounds / 2],
          times[rounds * 95 / 100]);
}

static void
look_here (Bench *bench)
{
  ThStamp stamp;
  struct stat st;

  g_assert_true (th_stamp_from_path (bench->path, &stamp, &st, NULL));
  g_assert_cmpint (access (bench->path, R_OK), ==, 0);
}

static void
look_there (Bench *bench)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = th_readers_look (bench->readers, bench->path, &facts, NULL);

  g_assert_nonnull (reading);
}

static void
read_here (Bench *bench)
{
  g_autofree char *data = g_malloc (SIZE);
  int fd = th_open_regular (bench->path, NULL);

  g_assert_cmpint (read (fd, data, SIZE), ==, SIZE);
  close (fd);
}

static void
read_there (Bench *bench, ThReadHow how)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = th_readers_look (bench->readers, bench->path, &facts, NULL);
  int fd = th_reading_open (reading, how, &facts, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_assert_true (th_reading_is_unchanged (reading));
  close (fd);
}

static void
copy_there (Bench *bench)
{
  read_there (bench, TH_READ_COPY);
}

static void
open_there (Bench *bench)
{
  read_there (bench, TH_READ_DIRECT);
}

static void
start_again (Bench *bench)
{
  ThReadersOptions options;

  g_clear_pointer (&bench->readers, th_readers_free);
  th_readers_options_init (&options);
  bench->readers = th_readers_new (&options);
}

static void
start (Bench *bench)
{
  start_again (bench);
  look_there (bench);
}

static void
start_gvfs (Bench *bench)
{
  g_auto (GStrv) schemes = NULL;

  start_again (bench);
  schemes = th_readers_schemes (bench->readers, NULL);
  g_assert_nonnull (schemes);
}

static void
print_memory (const char *name)
{
  g_autofree char *list = g_strdup_printf ("/proc/%d/task/%d/children", getpid (), getpid ());
  g_autofree char *pids = NULL;
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;

  if (!g_file_get_contents (list, &pids, NULL, NULL))
    return;
  path = g_strdup_printf ("/proc/%s/smaps_rollup", g_strstrip (pids));
  if (!g_file_get_contents (path, &text, NULL, NULL) || strstr (text, "\nPss:") == NULL)
    return;
  printf ("%-36s %7" G_GINT64_FORMAT " KiB\n", name,
          g_ascii_strtoll (strstr (text, "\nPss:") + strlen ("\nPss:"), NULL, 10));
}

int
main (void)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-bench-XXXXXX", NULL);
  g_autofree char *data = g_malloc0 (SIZE);
  Bench bench = { .path = g_build_filename (folder, "a", NULL) };

  g_assert_true (g_file_set_contents (bench.path, data, SIZE, NULL));
  start_again (&bench);
  measure (&bench, "look, here", look_here, ROUNDS);
  measure (&bench, "look, in a reader", look_there, ROUNDS);
  measure (&bench, "read 1 MB, here", read_here, ROUNDS);
  measure (&bench, "look, copy and check, in a reader", copy_there, ROUNDS);
  measure (&bench, "look, open and check, in a reader", open_there, ROUNDS);
  print_memory ("PSS of an idle reader");
  measure (&bench, "start, look and end", start, STARTS);
  measure (&bench, "start with GVfs and end", start_gvfs, STARTS);
  print_memory ("PSS of an idle reader with GVfs");
  th_readers_free (bench.readers);
  g_unlink (bench.path);
  g_rmdir (folder);
  g_free (bench.path);
  return 0;
}
