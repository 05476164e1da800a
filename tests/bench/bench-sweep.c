/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sweeping a large cache takes: elapsed time and peak memory of each kind of sweep, each in a
 * process of its own. bench-sweep FILES [FOLDER]: the cache is made in FOLDER, and there removed
 * again. bench-sweep FILES FOLDER --make leaves it there, for a sweep by thimblectl with
 * XDG_CACHE_HOME=FOLDER while a service answers. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache/th-sweep.h"
#include "cache/th-uri.h"
#include "engine/th-orphans.h"

#define SIDE 24u
#define DAYS 170u
#define DAY  (24 * 3600)

typedef struct
{
  char *folder;
  ThCache *cache;
  guint n;
  guint64 bytes;
} Bench;

static gboolean
make_one (Bench *bench, const ThPngBody *body, guint i)
{
  const time_t used = time (NULL) - (time_t) (i % DAYS) * DAY - 60;
  const struct timespec times[2] = { { used, 0 }, { used, 0 } };
  g_autofree char *source = g_strdup_printf ("%s/pictures/%u/%u.jpg", bench->folder, i / 1000, i);
  g_autofree char *uri = th_uri_from_path (source);
  ThFlavor flavor = (ThFlavor) (i % TH_N_FLAVORS);
  g_autofree char *path = th_cache_path (bench->cache, uri, flavor);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/jpeg", .full = { 4000, 3000 } };
  struct stat st;

  info.stamp = (ThStamp){ .mtime = used, .size = 100000, .inode = 1 + i };
  if (!th_cache_store (bench->cache, flavor, body, &info, NULL)
      || utimensat (AT_FDCWD, path, times, 0) != 0 || stat (path, &st) != 0)
    return FALSE;
  bench->bytes += (guint64) st.st_blocks * 512;
  return TRUE;
}

static gboolean
make_all (Bench *bench)
{
  g_autofree guint8 *pixels = g_malloc0 (SIDE * SIDE * 3);
  g_autofree char *pictures = g_build_filename (bench->folder, "pictures", NULL);
  g_autoptr (ThPngBody) body = NULL;
  gboolean made = g_mkdir_with_parents (pictures, 0700) == 0;

  for (guint i = 0; i < SIDE * SIDE * 3; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 24);
  body = th_png_encode (&(ThImage){ { SIDE, SIDE }, 3, SIDE * 3, pixels });
  for (guint i = 0; i < bench->n && made; i++)
    made = make_one (bench, body, i);
  return made;
}

static void
sweep (Bench *bench, const char *what, const ThSweepOptions *options)
{
  gint64 start = g_get_monotonic_time ();
  ThSweepTally tally;
  struct rusage usage;
  guint64 removed = 0;
  ThSweepEnd end = th_sweep (bench->cache, options, &tally, NULL);

  for (guint i = TH_SWEEP_KEPT + 1; i < TH_SWEEP_N_VERDICTS; i++)
    removed += tally.verdicts[i].files;
  getrusage (RUSAGE_SELF, &usage);
  printf ("%-24s %8.0f ms  removed %" G_GUINT64_FORMAT ", left %" G_GUINT64_FORMAT
          ", peak RSS %ld KiB%s\n",
          what, (double) (g_get_monotonic_time () - start) / 1000, removed, tally.left.files,
          usage.ru_maxrss, end == TH_SWEEP_DONE ? "" : "  NOT DONE");
  fflush (stdout);
}

static void
run_in_child (Bench *bench, const char *what, const ThSweepOptions *options)
{
  pid_t child;

  fflush (stdout);
  child = fork ();
  if (child == 0)
    {
      g_autoptr (ThOrphans) orphans = th_orphans_new (bench->cache, NULL);
      ThSweepOptions own = *options;

      own.data = orphans;
      sweep (bench, what, &own);
      _exit (0);
    }
  waitpid (child, NULL, 0);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

static void
run (Bench *bench)
{
  ThSweepOptions options = { .budget = { .max_bytes = G_MAXUINT64, .max_age = 36500 } };

  run_in_child (bench, "nothing to do", &options);
  options.budget.max_bytes = bench->bytes / 2;
  options.dry_run = TRUE;
  run_in_child (bench, "to a half, dry run", &options);
  options.dry_run = FALSE;
  run_in_child (bench, "to a half", &options);
  options.is_gone = th_orphans_is_gone;
  run_in_child (bench, "of a deleted tree", &options);
}

int
main (int argc, char **argv)
{
  Bench bench = { .n = argc > 1 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 2000u };
  g_autofree char *root = NULL;
  int status = EXIT_FAILURE;

  bench.folder = argc > 2 ? g_strdup (argv[2]) : g_dir_make_tmp ("thimble-bench-XXXXXX", NULL);
  root = g_build_filename (bench.folder, "thumbnails", NULL);
  bench.cache = th_cache_new (root, "bench");
  if (!make_all (&bench))
    fprintf (stderr, "bench-sweep: no cache can be made in %s\n", bench.folder);
  else
    {
      status = EXIT_SUCCESS;
      printf ("%u files, %" G_GUINT64_FORMAT " MiB\n", bench.n, bench.bytes >> 20);
      if (argc <= 3)
        run (&bench);
    }
  if (argc <= 3)
    {
      g_autofree char *pictures = g_build_filename (bench.folder, "pictures", NULL);

      remove_tree (root);
      remove_tree (pictures);
    }
  if (argc <= 2)
    g_rmdir (bench.folder);
  th_cache_free (bench.cache);
  g_free (bench.folder);
  return status;
}
