/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>

#include "cache/th-follow.h"
#include "cache/th-forget.h"
#include "follow-world.h"

#define ALL 3

static const gint never = 0;

/* Looks itself, but not at silent and what lies below. */
typedef struct
{
  World *world;
  char *silent;
  gboolean only_itself;
  guint asked; /* of what is silent */
  guint looks;
  ThLooker looker;
} Watch;

static ThLook
look (const char *where, ThStamp *stamp, struct stat *st, gpointer data)
{
  Watch *watch = data;

  watch->looks++;
  if (watch->only_itself ? !g_str_equal (where, watch->silent)
                         : !g_str_has_prefix (where, watch->silent))
    return th_look (NULL, where, stamp, st);
  watch->asked++;
  return TH_LOOK_UNKNOWN;
}

static void
watch_init (Watch *watch, World *world, const char *silent)
{
  *watch = (Watch){ .world = world, .silent = follow_path (world, silent) };
  watch->looker = (ThLooker){ look, watch };
}

static void
watch_clear (Watch *watch)
{
  g_free (watch->silent);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watch, watch_clear)

static void
follow (Watch *watch, ThFollowKind kind, const char *from, const char *to)
{
  g_autofree char *from_uri = follow_uri (watch->world, from);
  g_autofree char *to_uri = follow_uri (watch->world, to);
  const ThFollowOptions options = { .kind = kind, .looker = &watch->looker, .stop = &never };

  th_follow (watch->world->cache, &options, (const char *const *) &from_uri,
             (const char *const *) &to_uri, 1);
}

static void
make (World *world, const char *name)
{
  follow_file (world, name, "one", 1000);
  follow_thumbnails (world, name);
}

/* All that could have been done to the thumbnails would have been right, if it were known. */
static void
test_silent_ends (World *world, gconstpointer data)
{
  static const char *const names[][2] = {
    { "dead/a.png", "dead/b.png" },
    { "dead/a.png", "near.png" },
    { "near-a.png", "dead/b.png" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (Watch) watch = { 0 };
      g_autofree char *moved = follow_path (world, names[i][1]);

      watch_init (&watch, world, "dead");
      make (world, names[i][0]);
      follow_rename (world, names[i][0], names[i][1]);
      follow (&watch, TH_FOLLOW_MOVE, names[i][0], names[i][1]);
      follow (&watch, TH_FOLLOW_COPY, names[i][0], names[i][1]);
      g_assert_cmpuint (follow_count (world, names[i][0]), ==, ALL);
      g_assert_cmpuint (follow_count (world, names[i][1]), ==, 0);
      g_assert_cmpuint (watch.asked, >, 0);
      g_assert_no_errno (g_unlink (moved));
    }
}

/* What is there of to would be stale, but that is not known. */
static void
test_silent_target (World *world, gconstpointer data)
{
  g_auto (Watch) watch = { 0 };

  watch_init (&watch, world, "dead");
  make (world, "a.png");
  make (world, "dead/b.png");
  follow_file (world, "dead/b.png", "other", 2000);
  follow (&watch, TH_FOLLOW_MOVE, "a.png", "dead/b.png");
  g_assert_cmpuint (follow_count (world, "dead/b.png"), ==, ALL);
  g_assert_cmpuint (follow_count_valid (world, "a.png"), ==, ALL);
}

/* Missing, but nobody tells whether its folder is there. */
static void
test_not_gone (World *world, gconstpointer data)
{
  g_auto (Watch) watch = { 0 };

  watch_init (&watch, world, "d");
  watch.only_itself = TRUE;
  make (world, "d/a.png");
  follow_rename (world, "d/a.png", "e/a.png");
  follow (&watch, TH_FOLLOW_MOVE, "d/a.png", "nowhere.png");
  g_assert_cmpuint (follow_count (world, "d/a.png"), ==, ALL);
  g_assert_cmpuint (watch.asked, >, 0);
}

/* A folder that falls silent, old or new, while what was in it is followed. */
static void
test_folder (World *world, gconstpointer data)
{
  static const char *const silent[] = { "new/dead", "old/dead" };

  for (gsize i = 0; i < G_N_ELEMENTS (silent); i++)
    {
      g_auto (Watch) watch = { 0 };
      g_autofree char *new = follow_path (world, "new");

      watch_init (&watch, world, silent[i]);
      make (world, "old/a.png");
      make (world, "old/dead/b.png");
      make (world, "old/dead/c.png");
      follow_rename (world, "old", "new");
      follow (&watch, TH_FOLLOW_MOVE, "old", "new");
      g_assert_cmpuint (follow_count_valid (world, "new/a.png"), ==, ALL);
      g_assert_cmpuint (follow_count (world, "old/a.png"), ==, 0);
      g_assert_cmpuint (follow_count (world, "old/dead/b.png"), ==, ALL);
      g_assert_cmpuint (follow_count (world, "old/dead/c.png"), ==, ALL);
      g_assert_cmpuint (follow_count (world, "new/dead/b.png"), ==, 0);
      world_remove_tree (new);
    }
}

/* Nothing is looked at but by the looker: where it finds nothing there is nothing. */
static void
test_only_looker (World *world, gconstpointer data)
{
  g_auto (Watch) watch = { 0 };

  watch_init (&watch, world, "none");
  make (world, "a.png");
  follow_rename (world, "a.png", "b.png");
  follow (&watch, TH_FOLLOW_MOVE, "a.png", "b.png");
  g_assert_cmpuint (follow_count_valid (world, "b.png"), ==, ALL);
  g_assert_cmpuint (watch.asked, ==, 0);
  g_assert_cmpuint (watch.looks, >=, 2);
}

/* Whether it is a folder cannot be told: what lies below goes, as for one that is gone. */
static void
test_forget (World *world, gconstpointer data)
{
  g_auto (Watch) watch = { 0 };
  g_autofree char *base = follow_uri (world, "dead");

  watch_init (&watch, world, "dead");
  make (world, "dead/a.png");
  make (world, "near.png");
  th_forget_below (world->cache, (const char *const *) &base, 1, &watch.looker, &never);
  g_assert_cmpuint (follow_count (world, "dead/a.png"), ==, 0);
  g_assert_cmpuint (follow_count (world, "near.png"), ==, ALL);
  g_assert_cmpuint (watch.asked, ==, 1);
}

static void
add (const char *path, void (*test) (World *world, gconstpointer data))
{
  g_test_add (path, World, NULL, world_set_up, test, world_tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/follow-look/silent-ends", test_silent_ends);
  add ("/follow-look/silent-target", test_silent_target);
  add ("/follow-look/not-gone", test_not_gone);
  add ("/follow-look/folder", test_folder);
  add ("/follow-look/only-looker", test_only_looker);
  add ("/follow-look/forget", test_forget);
  return g_test_run ();
}
