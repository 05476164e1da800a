/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU time of asking the cache about a file, warm: each kind of stamp, the look-up, and
 * storing. bench-cache [FILES [SIDE]] */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cache/th-cache.h"
#include "cache/th-uri.h"

#define ROUNDS 20

typedef struct
{
  ThCache *cache;
  ThPngBody *body;
  char **paths;
  char **uris;
  ThStamp *stamps;
  guint n;
} Bench;

typedef gboolean (*Step) (Bench *bench, guint i);

static gboolean
store (Bench *bench, guint i)
{
  ThThumbnailInfo info = { .uri = bench->uris[i], .mime_type = "image/png", .full = { 9, 9 } };

  return th_stamp_from_path (bench->paths[i], &info.stamp, NULL, NULL)
         && th_cache_store (bench->cache, TH_FLAVOR_LARGE, bench->body, &info, NULL);
}

static gboolean
stamp_by_path (Bench *bench, guint i)
{
  return th_stamp_from_path (bench->paths[i], &bench->stamps[i], NULL, NULL);
}

static gboolean
stamp_for_lookup (Bench *bench, guint i)
{
  return th_stamp_for_lookup (bench->paths[i], &bench->stamps[i], NULL, NULL);
}

static gboolean
look_up (Bench *bench, guint i)
{
  return th_cache_lookup (bench->cache, bench->uris[i], TH_FLAVOR_LARGE, &bench->stamps[i])
         == TH_CACHE_VALID;
}

static gboolean
look_up_missing (Bench *bench, guint i)
{
  return th_cache_lookup (bench->cache, bench->uris[i], TH_FLAVOR_NORMAL, &bench->stamps[i])
         == TH_CACHE_MISSING;
}

static gboolean
path_of (Bench *bench, guint i)
{
  g_autofree char *path = th_cache_path (bench->cache, bench->uris[i], TH_FLAVOR_LARGE);

  return path != NULL;
}

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void
measure (Bench *bench, const char *name, Step step)
{
  double best = G_MAXDOUBLE;

  for (int round = 0; round < ROUNDS; round++)
    {
      double start = cpu_seconds (), taken;

      for (guint i = 0; i < bench->n; i++)
        {
          if (!step (bench, i))
            abort ();
        }
      taken = cpu_seconds () - start;
      best = MIN (best, taken);
    }
  printf ("%-20s %8.2f µs a file  %9.0f a second\n", name, best * 1e6 / bench->n, bench->n / best);
}

static ThPngBody *
make_body (guint side)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree guint8 *pixels = g_malloc ((gsize) side * side * 3);

  for (gsize i = 0; i < (gsize) side * side * 3; i++)
    pixels[i] = (guint8) g_rand_int_range (rand, 0, 32);
  return th_png_encode (&(ThImage){ { side, side }, 3, (gsize) side * 3, pixels });
}

static void
set_up (Bench *bench, const char *folder, guint side)
{
  g_autofree char *root = g_build_filename (folder, ".cache", "thumbnails", NULL);

  bench->cache = th_cache_new (root, "bench");
  bench->body = make_body (side);
  bench->paths = g_new0 (char *, bench->n + 1);
  bench->uris = g_new0 (char *, bench->n + 1);
  bench->stamps = g_new0 (ThStamp, bench->n);
  for (guint i = 0; i < bench->n; i++)
    {
      g_autofree char *name = g_strdup_printf ("picture %u.jpg", i);

      bench->paths[i] = g_build_filename (folder, name, NULL);
      bench->uris[i] = th_uri_from_path (bench->paths[i]);
      if (!g_file_set_contents (bench->paths[i], "x", 1, NULL))
        abort ();
    }
}

static void
remove_all (Bench *bench, const char *folder)
{
  static const char *const folders[] = { ".cache/thumbnails/large", ".cache/thumbnails", ".cache",
                                         "" };

  for (guint i = 0; i < bench->n; i++)
    {
      g_autofree char *thumbnail = th_cache_path (bench->cache, bench->uris[i], TH_FLAVOR_LARGE);

      g_unlink (thumbnail);
      g_unlink (bench->paths[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folder, folders[i], NULL);

      g_rmdir (path);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-bench-XXXXXX", NULL);
  guint side = argc > 2 ? (guint) g_ascii_strtoull (argv[2], NULL, 10) : 200;
  Bench bench = { .n = argc > 1 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 200 };

  if (!folder || bench.n < 1 || side < 1 || side > 1024)
    return 1;
  set_up (&bench, folder, side);
  measure (&bench, "store", store);
  measure (&bench, "stamp by path", stamp_by_path);
  measure (&bench, "stamp for look-up", stamp_for_lookup);
  measure (&bench, "path of a URI", path_of);
  measure (&bench, "look-up, valid", look_up);
  measure (&bench, "look-up, missing", look_up_missing);
  remove_all (&bench, folder);
  th_cache_free (bench.cache);
  th_png_body_free (bench.body);
  g_strfreev (bench.paths);
  g_strfreev (bench.uris);
  g_free (bench.stamps);
  return 0;
}
