/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/th-follow.h"
#include "engine/th-lookout.h"
#include "follow-world.h"

#define ALL      3
#define N_PAIRS  200u
#define STALL_MS 300

static const gint never = 0;

/* A table that says that two of the world's folders are mounts that may not answer, and a reader
 * that notes that it was started, and never answers. */
typedef struct
{
  World world;
  char *starts;
  ThLookout lookout;
  ThLooker looker;
} Fixture;

static void
write_reader (Fixture *fixture, const char *path)
{
  g_autofree char *fake = g_test_build_filename (G_TEST_BUILT, "reader", "fake-reader", NULL);
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\necho >>'%s'\nTH_FAKE=hang exec '%s'\n", fixture->starts, fake);

  g_assert_true (g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *table = NULL;
  g_autofree char *reader = NULL;
  g_autofree char *text = NULL;
  ThReadersOptions options;
  char *real;

  world_set_up (&fixture->world, NULL);
  real = realpath (fixture->world.folder, NULL);
  fixture->starts = follow_path (&fixture->world, "starts");
  table = follow_path (&fixture->world, "mountinfo");
  reader = follow_path (&fixture->world, "reader");
  g_assert_nonnull (real);
  text = g_strdup_printf ("1 1 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / %s/dead rw - nfs h:/a rw\n"
                          "3 1 0:9 / %s/other rw - nfs h:/b rw\n",
                          real, real);
  free (real);
  g_assert_true (g_file_set_contents (table, text, -1, NULL));
  write_reader (fixture, reader);
  th_readers_options_init (&options);
  options.program = reader;
  options.stall_ms = STALL_MS;
  fixture->lookout = (ThLookout){
    .mounts = th_mounts_new (table, NULL),
    .readers = th_readers_new (&options),
    .silence = th_silence_new (G_TIME_SPAN_MINUTE),
  };
  fixture->looker = (ThLooker){ th_lookout_look, &fixture->lookout };
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  th_readers_free (fixture->lookout.readers);
  th_mounts_free (fixture->lookout.mounts);
  th_silence_free (fixture->lookout.silence);
  g_free (fixture->starts);
  world_tear_down (&fixture->world, NULL);
}

static guint
count_starts (const Fixture *fixture)
{
  g_autofree char *content = NULL;
  gsize size = 0;

  if (!g_file_get_contents (fixture->starts, &content, &size, NULL))
    return 0;
  return (guint) size;
}

static ThLook
look_at (Fixture *fixture, const char *name)
{
  g_autofree char *path = follow_path (&fixture->world, name);
  ThStamp stamp;
  struct stat st;

  return th_look (&fixture->looker, path, &stamp, &st);
}

/* Though all of it could be seen here: the table alone says that nobody may look. */
static void
test_each_once (Fixture *fixture, gconstpointer unused)
{
  World *world = &fixture->world;
  g_autofree char *link = follow_path (world, "link");

  follow_file (world, "dead/a.png", "one", 1000);
  follow_file (world, "other/a.png", "one", 1000);
  follow_file (world, "near.png", "one", 1000);
  g_assert_no_errno (symlink ("dead", link));
  g_assert_cmpint (look_at (fixture, "near.png"), ==, TH_LOOK_FOUND);
  g_assert_cmpint (look_at (fixture, "missing.png"), ==, TH_LOOK_MISSING);
  g_assert_cmpuint (count_starts (fixture), ==, 0);
  g_assert_cmpint (look_at (fixture, "dead/a.png"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpint (look_at (fixture, "dead/missing.png"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpint (look_at (fixture, "link/a.png"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpuint (count_starts (fixture), ==, 1);
  g_assert_cmpint (look_at (fixture, "other/a.png"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpint (look_at (fixture, "other"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpuint (count_starts (fixture), ==, 2);
  g_assert_cmpint (look_at (fixture, "near.png"), ==, TH_LOOK_FOUND);
}

static void
add_pair (Fixture *fixture, GPtrArray *from, GPtrArray *to, const char *name)
{
  g_autofree char *moved = g_strconcat (name, ".moved.png", NULL);

  follow_file (&fixture->world, name, "one", 1000);
  follow_thumbnails (&fixture->world, name);
  follow_rename (&fixture->world, name, moved);
  g_ptr_array_add (from, follow_uri (&fixture->world, name));
  g_ptr_array_add (to, follow_uri (&fixture->world, moved));
}

/* One deadline for all of a mount; those of others are followed. */
static void
test_many_pairs (Fixture *fixture, gconstpointer unused)
{
  World *world = &fixture->world;
  g_autoptr (GPtrArray) from = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) to = g_ptr_array_new_with_free_func (g_free);
  const ThFollowOptions options = { .looker = &fixture->looker, .stop = &never };

  for (guint i = 0; i < N_PAIRS; i++)
    {
      g_autofree char *name = g_strdup_printf ("dead/%u.png", i);

      add_pair (fixture, from, to, name);
    }
  add_pair (fixture, from, to, "near.png");
  th_follow (world->cache, &options, (const char *const *) from->pdata,
             (const char *const *) to->pdata, from->len);
  g_assert_cmpuint (count_starts (fixture), ==, 1);
  for (guint i = 0; i < N_PAIRS; i++)
    {
      g_autofree char *name = g_strdup_printf ("dead/%u.png", i);
      g_autofree char *moved = g_strconcat (name, ".moved.png", NULL);

      g_assert_cmpuint (follow_count (world, name), ==, ALL);
      g_assert_cmpuint (follow_count (world, moved), ==, 0);
    }
  g_assert_cmpuint (follow_count_valid (world, "near.png.moved.png"), ==, ALL);
  g_assert_cmpuint (follow_count (world, "near.png"), ==, 0);
}

/* Whoever has no program to ask knows nothing, but waits for nobody. */
static void
test_no_reader (Fixture *fixture, gconstpointer unused)
{
  ThReadersOptions options;

  th_readers_free (fixture->lookout.readers);
  th_readers_options_init (&options);
  options.program = "/nonexistent/reader";
  fixture->lookout.readers = th_readers_new (&options);
  follow_file (&fixture->world, "dead/a.png", "one", 1000);
  g_assert_cmpint (look_at (fixture, "dead/a.png"), ==, TH_LOOK_UNKNOWN);
  g_assert_cmpint (look_at (fixture, "dead/missing.png"), ==, TH_LOOK_UNKNOWN);
}

static void
add (const char *path, void (*test) (Fixture *fixture, gconstpointer unused))
{
  g_test_add (path, Fixture, NULL, set_up, test, tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/lookout/each-once", test_each_once);
  add ("/lookout/many-pairs", test_many_pairs);
  add ("/lookout/no-reader", test_no_reader);
  return g_test_run ();
}
