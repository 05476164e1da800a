/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-fail.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cache-world.h"
#include "cache/th-png-text.h"
#include "cache/th-uri.h"

#define HANDLER "decoder 1 #a"

static ThLimits
make_limits (void)
{
  ThLimits limits;

  th_limits_init (&limits);
  return limits;
}

static void
store (World *world, ThStatus cause, guint32 box, const char *message)
{
  ThLimits limits = make_limits ();
  ThFailBasis basis = { HANDLER, &limits };
  g_autoptr (GError) error = NULL;
  ThStamp stamp;

  g_assert_true (th_stamp_from_path (world->source, &stamp, NULL, NULL));
  g_assert_true (
      th_fail_store (world->cache, world->uri, &stamp, &basis, cause, box, message, &error));
  g_assert_no_error (error);
}

static ThFailState
look_up_on (World *world, const ThFailBasis *basis, ThFailure *failure)
{
  ThStamp stamp;

  g_assert_true (th_stamp_for_lookup (world->source, &stamp, NULL, NULL));
  return th_fail_lookup (world->cache, world->uri, &stamp, basis, failure);
}

static ThFailState
look_up (World *world, ThFailure *failure)
{
  ThLimits limits = make_limits ();

  return look_up_on (world, &(ThFailBasis){ HANDLER, &limits }, failure);
}

static gboolean
is_forbidden (World *world, guint32 box)
{
  g_auto (ThFailure) failure = { 0 };

  return look_up (world, &failure) == TH_FAIL_VALID && th_failure_forbids (&failure, box);
}

static void
test_file (World *world, gconstpointer unused)
{
  g_autofree char *path = th_fail_path (world->cache, world->uri);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *md5 = th_uri_md5 (world->uri);
  g_autofree char *name = g_strconcat ("/fail/thimble-" TH_VERSION "/", md5, ".png", NULL);
  g_auto (ThFailure) failure = { 0 };
  g_autoptr (ThPngText) text = NULL;

  g_assert_true (g_str_has_suffix (path, name));
  g_assert_cmpint (look_up (world, &failure), ==, TH_FAIL_NONE);
  store (world, TH_STATUS_CORRUPT, 256, "bad\nline “é” \xff");
  text = th_png_text_read (path, NULL);
  g_assert_nonnull (text);
  g_assert_cmpuint (th_png_text_size (text).width, ==, 1);
  g_assert_cmpuint (th_png_text_size (text).height, ==, 1);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, world->uri);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::MTime"), ==, "1700000000");
  g_assert_cmpstr (th_png_text_get (text, "X-Thimble::Cause"), ==, "corrupt");
  g_assert_cmpuint (world_mode (path) & 07777, ==, 0600);
  g_assert_cmpuint (world_mode (folder) & 07777, ==, 0700);
  g_assert_cmpint (look_up (world, &failure), ==, TH_FAIL_VALID);
  g_assert_cmpint (failure.cause, ==, TH_STATUS_CORRUPT);
  g_assert_cmpuint (failure.tries, ==, 1);
  g_assert_cmpstr (failure.handler, ==, HANDLER);
  g_assert_cmpstr (failure.message, ==, "bad line “é” \xef\xbf\xbd");
  /* A marker is no thumbnail, and none of a thumbnail's places. */
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_MISSING);
  g_assert_true (th_cache_contains (world->cache, path));
}

static void
test_causes (void)
{
  for (ThStatus status = 0; status < TH_N_STATUSES; status++)
    {
      gboolean lasts = status == TH_STATUS_CORRUPT || status == TH_STATUS_CRASHED
                       || status == TH_STATUS_TOO_LARGE || status == TH_STATUS_TIMEOUT;

      g_assert_cmpint (th_fail_lasts (status), ==, lasts);
    }
}

typedef struct
{
  const char *name;
  ThStatus cause;
  const char *handler; /* NULL: the same */
  gsize limit;         /* offset of a guint64 that is changed, 0: none */
  gsize time;          /* of a guint32 */
  const char *content; /* the source is written anew, NULL: not */
  gint64 mtime;        /* 0: as it was */
  long mtime_ns;
  ThFailState expected;
} VoidRow;

#define OFFSET(field) (G_STRUCT_OFFSET (ThLimits, field) + 1)

static const VoidRow voids[] = {
  { "nothing", TH_STATUS_CORRUPT, .expected = TH_FAIL_VALID },
  { "handler", TH_STATUS_CORRUPT, .handler = "decoder 2 #a", .expected = TH_FAIL_HANDLER },
  { "build", TH_STATUS_CRASHED, .handler = "decoder 1 #b", .expected = TH_FAIL_HANDLER },
  { "second", TH_STATUS_CORRUPT, .mtime = 1700000001, .expected = TH_FAIL_FILE },
  { "nanosecond", TH_STATUS_CORRUPT, .mtime = 1700000000, .mtime_ns = 1, .expected = TH_FAIL_FILE },
  { "size", TH_STATUS_CRASHED, .content = "longer than that", .expected = TH_FAIL_FILE },
  { "pixels", TH_STATUS_TOO_LARGE, .limit = OFFSET (max_pixels), .expected = TH_FAIL_LIMIT },
  { "memory", TH_STATUS_TOO_LARGE, .limit = OFFSET (max_plan_bytes), .expected = TH_FAIL_LIMIT },
  { "budget", TH_STATUS_TOO_LARGE, .limit = OFFSET (budget_bytes), .expected = TH_FAIL_VALID },
  { "time-large", TH_STATUS_TOO_LARGE, .time = OFFSET (cpu_ms), .expected = TH_FAIL_VALID },
  { "cpu", TH_STATUS_TIMEOUT, .time = OFFSET (cpu_ms), .expected = TH_FAIL_LIMIT },
  { "wall", TH_STATUS_TIMEOUT, .time = OFFSET (wall_ms), .expected = TH_FAIL_LIMIT },
  { "pixels-slow", TH_STATUS_TIMEOUT, .limit = OFFSET (max_pixels), .expected = TH_FAIL_VALID },
  { "pixels-bad", TH_STATUS_CORRUPT, .limit = OFFSET (max_pixels), .expected = TH_FAIL_VALID },
};

static void
change_limits (const VoidRow *row, ThLimits *limits)
{
  guint8 *base = (guint8 *) limits;

  if (row->limit != 0)
    *(guint64 *) (gpointer) (base + row->limit - 1) += 1;
  if (row->time != 0)
    *(guint32 *) (gpointer) (base + row->time - 1) -= 1;
}

static void
test_void (World *world, gconstpointer data)
{
  const VoidRow *row = data;
  ThLimits limits = make_limits ();
  ThFailBasis basis = { row->handler != NULL ? row->handler : HANDLER, &limits };
  g_auto (ThFailure) failure = { 0 };

  store (world, row->cause, 128, "no");
  change_limits (row, &limits);
  if (row->content != NULL)
    g_assert_true (g_file_set_contents_full (world->source, row->content, -1,
                                             G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  world_set_mtime (world->source, row->mtime != 0 ? row->mtime : 1700000000,
                   row->mtime != 0 ? row->mtime_ns : 123456789);
  g_assert_cmpint (look_up_on (world, &basis, &failure), ==, row->expected);
  /* What is void is known all the same, for those who ask why. */
  g_assert_cmpint (failure.cause, ==, row->cause);
  g_assert_cmpstr (failure.message, ==, "no");
}

/* Another file with the same date and size in its place. */
static void
test_replaced (World *world, gconstpointer unused)
{
  g_autofree char *other = g_build_filename (world->folder, "other", NULL);
  g_auto (ThFailure) failure = { 0 };
  ThStamp stamp;

  g_assert_true (th_stamp_from_path (world->source, &stamp, NULL, NULL));
  if (stamp.inode == 0)
    {
      g_test_skip ("inodes do not last on this file system");
      return;
    }
  store (world, TH_STATUS_CORRUPT, 128, "no");
  g_assert_true (g_file_set_contents (other, "other", 5, NULL));
  world_set_mtime (other, 1700000000, 123456789);
  g_assert_no_errno (g_rename (other, world->source));
  g_assert_cmpint (look_up (world, &failure), ==, TH_FAIL_FILE);
}

static void
test_sizes (World *world, gconstpointer unused)
{
  store (world, TH_STATUS_CORRUPT, 512, "no");
  g_assert_false (is_forbidden (world, 256));
  g_assert_true (is_forbidden (world, 512));
  g_assert_true (is_forbidden (world, 1024));
  /* Fails for a small one as well, then for a large one again. */
  store (world, TH_STATUS_CORRUPT, 128, "no");
  g_assert_true (is_forbidden (world, 128));
  store (world, TH_STATUS_CORRUPT, 1024, "no");
  g_assert_true (is_forbidden (world, 128));
  /* A small one that succeeds disproves nothing about larger ones. */
  store (world, TH_STATUS_TOO_LARGE, 512, "no");
  th_fail_forget (world->cache, world->uri, 256);
  g_assert_true (is_forbidden (world, 512));
  th_fail_forget (world->cache, world->uri, 512);
  g_assert_false (is_forbidden (world, 1024));
  th_fail_forget (world->cache, world->uri, 512);
}

static void
test_timeout (World *world, gconstpointer unused)
{
  g_auto (ThFailure) failure = { 0 };

  store (world, TH_STATUS_TIMEOUT, 256, "slow");
  g_assert_false (is_forbidden (world, 1024));
  store (world, TH_STATUS_TIMEOUT, 256, "slow");
  g_assert_true (is_forbidden (world, 256));
  g_assert_false (is_forbidden (world, 128));
  th_fail_forget (world->cache, world->uri, G_MAXUINT32);
  /* Once each for a small and a large one is twice for the large one only. */
  store (world, TH_STATUS_TIMEOUT, 128, "slow");
  store (world, TH_STATUS_TIMEOUT, 1024, "slow");
  g_assert_true (is_forbidden (world, 1024));
  g_assert_false (is_forbidden (world, 128));
  /* Another fault in between begins anew. */
  store (world, TH_STATUS_CRASHED, 1024, "crash");
  store (world, TH_STATUS_TIMEOUT, 1024, "slow");
  g_assert_false (is_forbidden (world, 1024));
  /* And so does a file that has changed. */
  world_set_mtime (world->source, 1700000009, 0);
  store (world, TH_STATUS_TIMEOUT, 1024, "slow");
  g_assert_cmpint (look_up (world, &failure), ==, TH_FAIL_VALID);
  g_assert_cmpuint (failure.tries, ==, 1);
}

static void
write_bytes (const char *path, const char *data, gsize size)
{
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}

/* Whatever lies there instead of a marker forbids nothing and is replaced. */
static void
test_broken (World *world, gconstpointer unused)
{
  g_autofree char *path = th_fail_path (world->cache, world->uri);
  g_autofree char *good = NULL;
  gsize size;

  store (world, TH_STATUS_CORRUPT, 128, "no");
  g_assert_true (g_file_get_contents (path, &good, &size, NULL));
  for (gsize cut = 0; cut < size; cut += 7)
    {
      write_bytes (path, good, cut);
      g_assert_false (is_forbidden (world, 128));
    }
  store (world, TH_STATUS_CORRUPT, 128, "no");
  g_assert_true (is_forbidden (world, 128));
  /* Of another file. */
  world_set_source (world, "second.png");
  g_free (path);
  path = th_fail_path (world->cache, world->uri);
  write_bytes (path, good, size);
  g_assert_false (is_forbidden (world, 128));
  th_fail_forget (world->cache, world->uri, G_MAXUINT32);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static char *
add_marker (World *world, const char *program, const char *name)
{
  g_autofree char *folder = g_build_filename (th_cache_root (world->cache), "fail", program, NULL);
  char *path = g_build_filename (folder, name, NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  write_bytes (path, "x", 1);
  return path;
}

#define MD5_NAME "0123456789abcdef0123456789abcdef.png"

static void
test_sweep (World *world, gconstpointer unused)
{
  static const struct
  {
    const char *program;
    const char *name;
    gboolean stays;
  } rows[] = {
    { "thimble-0.0.1", MD5_NAME, FALSE },
    { "thimble-0.0.1", ".thimble-0123456789ab", FALSE },
    { "thimble-0.0.2", "notes.txt", TRUE },
    { "thimble-0.0.2", MD5_NAME, FALSE },
    { "gnome-thumbnail-factory", MD5_NAME, TRUE },
    { "thimblerig", MD5_NAME, TRUE },
    { "thimble-" TH_VERSION, MD5_NAME, TRUE },
  };
  g_autofree char *link =
      g_build_filename (th_cache_root (world->cache), "fail", "thimble-0.0.3", NULL);
  g_autofree char *outside = g_build_filename (world->folder, MD5_NAME, NULL);
  g_autofree char *gone =
      g_build_filename (th_cache_root (world->cache), "fail", "thimble-0.0.1", NULL);
  g_autofree char *paths[G_N_ELEMENTS (rows)] = { NULL };

  th_fail_sweep (world->cache);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    paths[i] = add_marker (world, rows[i].program, rows[i].name);
  write_bytes (outside, "x", 1);
  g_assert_no_errno (symlink (world->folder, link));
  th_fail_sweep (world->cache);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_cmpint (g_file_test (paths[i], G_FILE_TEST_EXISTS), ==, rows[i].stays);
      g_free (g_steal_pointer (&paths[i]));
    }
  g_assert_false (g_file_test (gone, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (outside, G_FILE_TEST_EXISTS));
}

static void
test_unwritable (World *world, gconstpointer unused)
{
  ThLimits limits = make_limits ();
  ThFailBasis basis = { HANDLER, &limits };
  g_autofree char *fail = g_build_filename (th_cache_root (world->cache), "fail", NULL);
  g_autoptr (GError) error = NULL;
  ThStamp stamp;

  world_store (world);
  write_bytes (fail, "in the way", 10);
  g_assert_true (th_stamp_from_path (world->source, &stamp, NULL, NULL));
  g_assert_false (th_fail_store (world->cache, world->uri, &stamp, &basis, TH_STATUS_CORRUPT, 128,
                                 "no", &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
  th_fail_sweep (world->cache);
  g_assert_true (g_file_test (fail, G_FILE_TEST_IS_REGULAR));
}

#define ADD(name, test) g_test_add (name, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/fail/file", test_file);
  g_test_add_func ("/fail/causes", test_causes);
  for (gsize i = 0; i < G_N_ELEMENTS (voids); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fail/void/%s", voids[i].name);

      g_test_add (path, World, &voids[i], world_set_up, test_void, world_tear_down);
    }
  ADD ("/fail/replaced", test_replaced);
  ADD ("/fail/sizes", test_sizes);
  ADD ("/fail/timeout", test_timeout);
  ADD ("/fail/broken", test_broken);
  ADD ("/fail/sweep", test_sweep);
  ADD ("/fail/unwritable", test_unwritable);
  return g_test_run ();
}
