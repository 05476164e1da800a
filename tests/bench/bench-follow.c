/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What following and forgetting take in a cache of many files, warm: elapsed time of each kind of
 * call, and the memory at last. bench-follow [FILES], each with thumbnails in four flavors. */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cache/th-cache.h"
#include "cache/th-follow.h"
#include "cache/th-forget.h"
#include "cache/th-uri.h"

#define FEW  100u
#define SIDE 40u

static const gint never = 0;

typedef struct
{
  char *folder;
  ThCache *cache;
  guint n;
} Bench;

static char *
path_of (Bench *bench, const char *folder, guint i)
{
  return g_strdup_printf ("%s/%s/%u.png", bench->folder, folder, i);
}

static void
make_one (Bench *bench, ThPngBody *body, const char *folder, guint i)
{
  g_autofree char *path = path_of (bench, folder, i);
  g_autofree char *uri = th_uri_from_path (path);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/png", .full = { 4000, 3000 } };

  if (!g_file_set_contents (path, "x", 1, NULL)
      || !th_stamp_from_path (path, &info.stamp, NULL, NULL))
    exit (EXIT_FAILURE);
  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    if (!th_cache_store (bench->cache, flavor, body, &info, NULL))
      exit (EXIT_FAILURE);
}

static void
make_folder (Bench *bench, const char *name)
{
  g_autofree char *path = g_build_filename (bench->folder, name, NULL);

  if (g_mkdir_with_parents (path, 0700) != 0)
    exit (EXIT_FAILURE);
}

static void
make_all (Bench *bench)
{
  g_autofree guint8 *pixels = g_malloc0 (SIDE * SIDE * 3);
  g_autoptr (ThPngBody) body = NULL;

  for (guint i = 0; i < SIDE * SIDE * 3; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 24);
  body = th_png_encode (&(ThImage){ { SIDE, SIDE }, 3, SIDE * 3, pixels });
  make_folder (bench, "many");
  make_folder (bench, "few");
  for (guint i = 0; i < bench->n; i++)
    make_one (bench, body, "many", i);
  for (guint i = 0; i < FEW; i++)
    make_one (bench, body, "few", i);
}

static void
forget_one (Bench *bench)
{
  g_autofree char *path = path_of (bench, "many", 0);
  g_autofree char *uri = th_uri_from_path (path);

  th_forget_uris (bench->cache, (const char *const *) &uri, 1, NULL, &never);
}

static void
move (Bench *bench, const char *from, const char *to)
{
  const ThFollowOptions options = { .kind = TH_FOLLOW_MOVE, .stop = &never };
  g_autofree char *from_path = g_build_filename (bench->folder, from, NULL);
  g_autofree char *to_path = g_build_filename (bench->folder, to, NULL);
  g_autofree char *from_uri = th_uri_from_path (from_path);
  g_autofree char *to_uri = th_uri_from_path (to_path);

  if (g_rename (from_path, to_path) != 0)
    exit (EXIT_FAILURE);
  th_follow (bench->cache, &options, (const char *const *) &from_uri, (const char *const *) &to_uri,
             1);
}

static void
move_one (Bench *bench)
{
  move (bench, "many/1.png", "many/one.png");
}

static void
move_few (Bench *bench)
{
  move (bench, "few", "a few");
}

static void
move_many (Bench *bench)
{
  move (bench, "many", "very many");
}

static void
forget_nothing (Bench *bench)
{
  static const char *const uris[] = { "file:///nothing" };

  th_forget_below (bench->cache, uris, 1, NULL, &never);
}

static void
forget_old (Bench *bench)
{
  th_forget_older (bench->cache, NULL, 0, 1, &never);
}

static const struct
{
  const char *name;
  void (*function) (Bench *bench);
} steps[] = {
  { "Delete, one file", forget_one },
  { "Move, one file", move_one },
  { "Cleanup, of a folder without thumbnails", forget_nothing },
  { "Cleanup, by age, nothing so old", forget_old },
  { "Move, a folder of 100 files", move_few },
  { "Move, the folder of all the others", move_many },
};

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

int
main (int argc, char **argv)
{
  Bench bench = { .n = argc > 1 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 1000u };
  g_autofree char *root = NULL;
  g_autoptr (GError) error = NULL;
  struct rusage usage;

  bench.folder = g_dir_make_tmp ("thimble-bench-XXXXXX", &error);
  if (bench.folder == NULL)
    {
      fprintf (stderr, "bench-follow: %s\n", error->message);
      return EXIT_FAILURE;
    }
  root = g_build_filename (bench.folder, "thumbnails", NULL);
  bench.cache = th_cache_new (root, "bench");
  make_all (&bench);
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      gint64 start = g_get_monotonic_time ();

      steps[i].function (&bench);
      printf ("%-42s %10.2f ms\n", steps[i].name,
              (double) (g_get_monotonic_time () - start) / 1000);
    }
  getrusage (RUSAGE_SELF, &usage);
  printf ("most memory: %ld KiB\n", usage.ru_maxrss);
  remove_tree (bench.folder);
  th_cache_free (bench.cache);
  g_free (bench.folder);
  return EXIT_SUCCESS;
}
