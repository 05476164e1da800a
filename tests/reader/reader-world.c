/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader-world.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALL_SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
#define PATIENCE  (60 * G_USEC_PER_SEC)

static guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

guint
world_fds (void)
{
  return count_entries ("/proc/self/fd");
}

static gboolean
is_child (const char *name)
{
  g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
  g_autofree char *text = NULL;
  const char *after;

  if (!g_ascii_isdigit (name[0]) || !g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  /* "PID (NAME) STATE PARENT", and the name may hold anything. */
  after = strrchr (text, ')');
  return after != NULL && strlen (after) > 4
         && g_ascii_strtoll (after + 4, NULL, 10) == (gint64) getpid ();
}

GArray *
world_children (void)
{
  GArray *children = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (is_child (name))
      {
        int pid = (int) g_ascii_strtoll (name, NULL, 10);

        g_array_append_val (children, pid);
      }
  return children;
}

void
world_start (World *world)
{
  g_clear_pointer (&world->readers, th_readers_free);
  world->readers = th_readers_new (&world->options);
}

void
world_stall_after (World *world, guint stall_ms, guint total_ms)
{
  world->options.stall_ms = stall_ms;
  world->options.total_ms = total_ms;
  world_start (world);
}

void
world_set_up (World *world, gconstpointer unused)
{
  world->folder = g_dir_make_tmp ("thimble-reader-XXXXXX", NULL);
  g_assert_nonnull (world->folder);
  th_readers_options_init (&world->options);
  world->options.stall_ms = world->options.total_ms = PATIENT_MS;
  world->fds = world_fds ();
  world_start (world);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK) || !g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_unlink (path);
      return;
    }
  g_chmod (path, 0700);
  dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_rmdir (path);
}

void
world_tear_down (World *world, gconstpointer unused)
{
  g_autoptr (GArray) children = NULL;

  g_clear_pointer (&world->readers, th_readers_free);
  children = world_children ();
  g_assert_cmpuint (children->len, ==, 0);
  g_assert_cmpuint (world_fds (), ==, world->fds);
  remove_tree (world->folder);
  g_free (world->folder);
}

void
world_wait_for_no_process (World *world)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (th_readers_tend (world->readers) != 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (1000);
    }
}

char *
world_path (World *world, const char *name)
{
  return g_build_filename (world->folder, name, NULL);
}

char *
world_file (World *world, const char *name, gconstpointer data, gsize size)
{
  char *path = world_path (world, name);

  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  return path;
}

char *
world_data (gsize size, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  char *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = (char) g_rand_int (rand);
  return data;
}

ThReading *
world_look (World *world, const char *where, ThFacts *facts)
{
  g_autoptr (GError) error = NULL;
  ThReading *reading = th_readers_look (world->readers, where, facts, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reading);
  return reading;
}

int
world_open (ThReading *reading, ThReadHow how, ThFacts *facts)
{
  g_autoptr (GError) error = NULL;
  int fd = th_reading_open (reading, how, facts, &error);

  g_assert_no_error (error);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  return fd;
}

void
world_check_copy (int fd, gconstpointer data, gsize size)
{
  g_autofree char *read_back = g_malloc (size + 1);

  g_assert_cmpint (fcntl (fd, F_GET_SEALS) & ALL_SEALS, ==, ALL_SEALS);
  g_assert_cmpint (lseek (fd, 0, SEEK_CUR), ==, 0);
  g_assert_cmpint (read (fd, read_back, size + 1), ==, size);
  g_assert_true (memcmp (read_back, data, size) == 0);
  close (fd);
}

void
world_look_fails (World *world, const char *where, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;
  g_auto (ThFacts) facts = { 0 };

  g_assert_null (th_readers_look (world->readers, where, &facts, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_error (error, domain, code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (facts.path);
}

void
world_open_fails (ThReading *reading, ThReadHow how, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;
  g_auto (ThFacts) facts = { 0 };

  g_assert_cmpint (th_reading_open (reading, how, &facts, &error), ==, -1);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_error (error, domain, code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static gpointer
run_waiter (gpointer data)
{
  Waiter *waiter = data;
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading =
      th_readers_look (waiter->world->readers, waiter->where, &facts, &waiter->error);

  if (reading != NULL && waiter->opens)
    g_assert_cmpint (th_reading_open (reading, waiter->how, &facts, &waiter->error), ==, -1);
  return NULL;
}

void
waiter_start (Waiter *waiter)
{
  waiter->error = NULL;
  waiter->thread = g_thread_new ("waiter", run_waiter, waiter);
}

void
waiter_end (Waiter *waiter, int code)
{
  g_thread_join (waiter->thread);
  g_assert_nonnull (waiter->error);
  g_test_message ("%s", waiter->error->message);
  g_assert_error (waiter->error, G_IO_ERROR, code);
  g_clear_error (&waiter->error);
}
