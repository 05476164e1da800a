/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How readers are kept, shared, told to let go, and ended. */
#include "config.h"

#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reader-world.h"

/* One process serves one file after the other, two where two are looked at at once. */
static void
test_reuse (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_autofree char *missing = world_path (world, "missing");
  int first = 0;

  for (guint i = 0; i < 50; i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (world, path, &facts);
      g_autoptr (GArray) children = world_children ();

      g_assert_cmpuint (children->len, ==, 1);
      first = i == 0 ? g_array_index (children, int, 0) : first;
      g_assert_cmpint (g_array_index (children, int, 0), ==, first);
      world_check_copy (world_open (reading, TH_READ_COPY, &facts), "a", 1);
      g_assert_true (th_reading_is_unchanged (reading));
      g_clear_pointer (&reading, th_reading_free);
      world_look_fails (world, missing, G_FILE_ERROR, G_FILE_ERROR_NOENT);
    }
  g_assert_cmpint (th_readers_tend (world->readers), >, 0);
}

/* Also where each is told to let go and the next one comes at once. */
static void
test_hurry (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_autoptr (GArray) children = NULL;

  for (guint i = 0; i < 200; i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (world, path, &facts);

      if (i % 2 == 0)
        close (world_open (reading, TH_READ_DIRECT, &facts));
    }
  children = world_children ();
  g_assert_cmpuint (children->len, ==, 1);
}

static void
test_idle (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };
  ThReading *readings[2];

  world->options.idle_ms = 1;
  world_start (world);
  g_assert_cmpint (th_readers_tend (world->readers), ==, 0);
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GArray) children = NULL;

      for (guint i = 0; i < 2; i++)
        readings[i] = world_look (world, path, &facts);
      children = world_children ();
      g_assert_cmpuint (children->len, ==, 2);
      g_assert_cmpint (th_readers_tend (world->readers), >, 0);
      for (guint i = 0; i < 2; i++)
        th_reading_free (readings[i]);
      world_wait_for_no_process (world);
    }
}

static gpointer
look_idly (gpointer data)
{
  World *world = data;
  const struct sched_param none = { 0 };
  g_auto (ThFacts) facts = { 0 };

  g_assert_no_errno (sched_setscheduler (0, SCHED_IDLE, &none));
  th_reading_free (world_look (world, world->folder, &facts));
  return NULL;
}

/* What was started for work that has time is not given work that has none. */
static void
test_priority (World *world, gconstpointer unused)
{
  g_auto (ThFacts) facts = { 0 };
  guint idle = 0;

  for (guint i = 0; i < 3; i++)
    {
      g_thread_join (g_thread_new ("idle", look_idly, world));
      th_reading_free (world_look (world, world->folder, &facts));
    }
  {
    g_autoptr (GArray) children = world_children ();

    g_assert_cmpuint (children->len, ==, 2);
    for (guint i = 0; i < 2; i++)
      idle += sched_getscheduler (g_array_index (children, int, i)) == SCHED_IDLE;
  }
  g_assert_cmpuint (idle, ==, 1);
}

static guint
files_below (int pid, const char *folder)
{
  g_autofree char *name = g_strdup_printf ("/proc/%d/fd", pid);
  g_autoptr (GDir) dir = g_dir_open (name, 0, NULL);
  const char *fd;
  guint n = 0;

  while ((fd = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *link = g_build_filename (name, fd, NULL);
      g_autofree char *target = g_file_read_link (link, NULL);

      n += target != NULL && g_str_has_prefix (target, folder);
    }
  return n;
}

/* It holds nothing open once it has looked again, or was told to let go. */
static void
test_lets_go (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = world_look (world, path, &facts);
  g_autoptr (GArray) children = world_children ();
  int pid = g_array_index (children, int, 0);

  g_assert_cmpuint (files_below (pid, world->folder), ==, 1);
  close (world_open (reading, TH_READ_DIRECT, &facts));
  g_assert_cmpuint (files_below (pid, world->folder), ==, 1);
  g_assert_true (th_reading_is_unchanged (reading));
  g_assert_cmpuint (files_below (pid, world->folder), ==, 0);
  close (world_open (reading, TH_READ_COPY, &facts));
  g_clear_pointer (&reading, th_reading_free);
  while (files_below (pid, world->folder) > 0)
    g_usleep (1000);
}

/* What was killed while it had nothing to do costs no file. */
static void
test_killed_idle (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };

  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (ThReading) reading = world_look (world, path, &facts);
      g_autoptr (GArray) children = world_children ();

      g_assert_true (th_reading_is_unchanged (reading));
      g_clear_pointer (&reading, th_reading_free);
      for (guint j = 0; j < children->len; j++)
        kill (g_array_index (children, int, j), SIGKILL);
    }
}

#define THREADS      4u
#define ROUNDS       100u
#define STORM_ROUNDS 2000u

typedef struct
{
  World *world;
  guint number;
} Crowd;

static gpointer
look_often (gpointer data)
{
  const Crowd *crowd = data;
  g_autofree char *name = g_strdup_printf ("%u", crowd->number);
  g_autofree char *content = world_data (200000, crowd->number);
  g_autofree char *path = world_file (crowd->world, name, content, 200000);

  for (guint i = 0; i < ROUNDS; i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (crowd->world, path, &facts);

      world_check_copy (world_open (reading, TH_READ_COPY, &facts), content, 200000);
      if (i % 2 == 0)
        g_assert_true (th_reading_is_unchanged (reading));
      th_readers_tend (crowd->world->readers);
    }
  return NULL;
}

static void
test_crowd (World *world, gconstpointer unused)
{
  Crowd crowd[THREADS];
  GThread *threads[THREADS];

  for (guint i = 0; i < THREADS; i++)
    {
      crowd[i] = (Crowd){ world, i };
      threads[i] = g_thread_new ("crowd", look_often, &crowd[i]);
    }
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
}

typedef struct
{
  World *world;
  guint number;
  gint *stop;
} Storm;

static void
check_storm_error (const GError *error)
{
  /* Left, or killed in the middle of it. */
  g_assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                 || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_FAILED));
}

static gpointer
look_in_storm (gpointer data)
{
  const Storm *storm = data;
  g_autofree char *name = g_strdup_printf ("folder/%u", storm->number);
  g_autofree char *path = world_file (storm->world, name, "abc", 3);

  for (guint i = 0; i < STORM_ROUNDS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = th_readers_look (storm->world->readers, path, &facts, &error);
      int fd = reading != NULL ? th_reading_open (reading, i % 2 ? TH_READ_COPY : TH_READ_DIRECT,
                                                  &facts, &error)
                               : -1;

      if (fd < 0)
        check_storm_error (error);
      else
        close (fd);
      if (fd >= 0 && i % 3 == 0)
        th_reading_is_unchanged (reading);
    }
  return NULL;
}

/* By a descriptor, since it may have been reaped meanwhile and the number be somebody else's. */
static void
kill_child (int pid)
{
  int fd = (int) syscall (SYS_pidfd_open, pid, 0);
  g_autoptr (GArray) children = world_children ();

  for (guint i = 0; fd >= 0 && i < children->len; i++)
    if (g_array_index (children, int, i) == pid)
      syscall (SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
  if (fd >= 0)
    close (fd);
}

static gpointer
make_storm (gpointer data)
{
  const Storm *storm = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autofree char *folder = world_path (storm->world, "folder");

  while (g_atomic_int_get (storm->stop) == 0)
    {
      g_autoptr (GArray) children = world_children ();
      guint dice = (guint) g_rand_int_range (rand, 0, 4);

      if (dice == 0 && children->len > 0)
        th_readers_leave (storm->world->readers, folder);
      else if (dice == 1 && children->len > 0)
        kill_child (g_array_index (children, int, 0));
      else
        th_readers_tend (storm->world->readers);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 500));
    }
  return NULL;
}

/* Whatever comes together, nothing hangs, and nothing is left. */
static void
test_storm (World *world, gconstpointer unused)
{
  g_autofree char *folder = world_path (world, "folder");
  g_auto (ThFacts) facts = { 0 };
  Storm storms[THREADS + 1];
  GThread *threads[THREADS + 1];
  gint stop = 0;

  g_assert_no_errno (g_mkdir (folder, 0700));
  for (guint i = 0; i <= THREADS; i++)
    {
      storms[i] = (Storm){ world, i, &stop };
      threads[i] = g_thread_new ("storm", i < THREADS ? look_in_storm : make_storm, &storms[i]);
    }
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  g_atomic_int_set (&stop, 1);
  g_thread_join (threads[THREADS]);
  th_reading_free (world_look (world, folder, &facts));
}

static void
test_closed (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = world_look (world, path, &facts);

  th_readers_close (world->readers);
  g_assert_false (th_reading_is_unchanged (reading));
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  world_look_fails (world, path, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Only what lies there, by its spelling or by where it leads. */
static void
test_left (World *world, gconstpointer unused)
{
  g_autofree char *inner = world_path (world, "inner");
  g_autofree char *prefix = world_path (world, "inn");
  g_autofree char *link = world_path (world, "link");
  g_autofree char *through = world_path (world, "link/a");
  g_autofree char *path = NULL;
  g_autofree char *outside = world_file (world, "b", "b", 1);
  g_auto (ThFacts) facts = { 0 };
  ThReading *readings[3];

  g_assert_no_errno (g_mkdir (inner, 0700));
  g_assert_no_errno (symlink ("inner", link));
  path = world_file (world, "inner/a", "a", 1);
  readings[0] = world_look (world, path, &facts);
  readings[1] = world_look (world, through, &facts);
  readings[2] = world_look (world, outside, &facts);
  th_readers_leave (world->readers, prefix);
  for (guint i = 0; i < 3; i++)
    close (world_open (readings[i], TH_READ_COPY, &facts));
  th_readers_leave (world->readers, inner);
  for (guint i = 0; i < 2; i++)
    world_open_fails (readings[i], TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_true (th_reading_is_unchanged (readings[2]));
  for (guint i = 0; i < 3; i++)
    th_reading_free (readings[i]);
  /* Once. */
  th_reading_free (world_look (world, path, &facts));
}

#define ADD(name, function)                                                                        \
  g_test_add ("/reader/pool/" name, World, NULL, world_set_up, function, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("reuse", test_reuse);
  ADD ("hurry", test_hurry);
  ADD ("idle", test_idle);
  ADD ("priority", test_priority);
  ADD ("lets-go", test_lets_go);
  ADD ("killed-idle", test_killed_idle);
  ADD ("crowd", test_crowd);
  ADD ("storm", test_storm);
  ADD ("closed", test_closed);
  ADD ("left", test_left);
  return g_test_run ();
}
