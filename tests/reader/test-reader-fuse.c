/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mounted file system whose server stops answering, at every step. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "reader-world.h"
#include "stall-mount.h"
#include "wire/th-wrap.h"

#define TEXT "some bytes"

typedef struct
{
  World world;
  StallMount *stall;
  char *path;
} Place;

static void
set_up (Place *place, gconstpointer trouble)
{
  world_set_up (&place->world, NULL);
  if (trouble != NULL)
    return;
  place->stall = stall_mount_start (place->world.folder);
  place->path = stall_mount_file (place->stall, "a", TEXT, strlen (TEXT));
}

/* The end of the server frees what hangs in the kernel; before that no process of ours could be
 * reaped. */
static void
tear_down (Place *place, gconstpointer trouble)
{
  if (place->stall != NULL)
    {
      stall_mount_stop (place->stall);
      th_readers_close (place->world.readers);
      world_wait_for_no_process (&place->world);
    }
  world_tear_down (&place->world, NULL);
  g_free (place->path);
}

static gboolean
skips (gconstpointer trouble)
{
  if (trouble != NULL)
    g_test_skip (trouble);
  return trouble != NULL;
}

static void
test_answers (Place *place, gconstpointer trouble)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  char bytes[sizeof TEXT];
  int fd;

  if (skips (trouble))
    return;
  reading = world_look (&place->world, place->path, &facts);
  g_assert_cmpint (facts.st.st_size, ==, strlen (TEXT));
  g_assert_cmpuint (facts.stamp.inode, ==, 0);
  g_assert_cmpstr (facts.path, ==, place->path);
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), TEXT, strlen (TEXT));
  g_assert_true (th_reading_is_unchanged (reading));
  fd = th_unwrap (world_open (reading, TH_READ_DIRECT, &facts));
  g_assert_cmpint (pread (fd, bytes, sizeof bytes, 0), ==, strlen (TEXT));
  g_assert_cmpmem (bytes, strlen (TEXT), TEXT, strlen (TEXT));
  close (fd);
  g_free (stall_mount_file (place->stall, "a", "other text", strlen (TEXT)));
  g_assert_false (th_reading_is_unchanged (reading));
}

/* What hangs in the look. Others go on meanwhile. */
static void
test_look (Place *place, gconstpointer trouble)
{
  static const char *const stalls[] = { "all", "lookup", "getattr", "statfs" };
  g_autofree char *local = NULL;

  if (skips (trouble))
    return;
  world_stall_after (&place->world, STALL_MS, PATIENT_MS);
  local = world_file (&place->world, "local", TEXT, strlen (TEXT));
  for (guint i = 0; i < G_N_ELEMENTS (stalls); i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = NULL;

      g_test_message ("%s", stalls[i]);
      stall_mount_stall (place->stall, stalls[i]);
      world_look_fails (&place->world, place->path, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
      reading = world_look (&place->world, local, &facts);
      g_assert_cmpint (th_readers_tend (place->world.readers), >, 0);
    }
}

typedef struct
{
  const char *operations;
  ThReadHow how;
} Stall;

static void
test_open (Place *place, gconstpointer trouble)
{
  static const Stall stalls[] = {
    { "all", TH_READ_COPY },     { "all", TH_READ_DIRECT }, { "open", TH_READ_COPY },
    { "open", TH_READ_DIRECT },  { "read", TH_READ_COPY },  { "flush", TH_READ_COPY },
    { "flush", TH_READ_DIRECT },
  };

  if (skips (trouble))
    return;
  world_stall_after (&place->world, STALL_MS, PATIENT_MS);
  for (guint i = 0; i < G_N_ELEMENTS (stalls); i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = NULL;

      g_test_message ("%s, %d", stalls[i].operations, stalls[i].how);
      stall_mount_stall (place->stall, NULL);
      reading = world_look (&place->world, place->path, &facts);
      stall_mount_stall (place->stall, stalls[i].operations);
      world_open_fails (reading, stalls[i].how, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
      g_assert_false (th_reading_is_unchanged (reading));
    }
}

/* A file that is open in a wrapping can be closed whatever its server does. */
static void
test_close (Place *place, gconstpointer trouble)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  int fd;

  if (skips (trouble))
    return;
  world_stall_after (&place->world, STALL_MS, PATIENT_MS);
  reading = world_look (&place->world, place->path, &facts);
  fd = world_open (reading, TH_READ_DIRECT, &facts);
  stall_mount_stall (place->stall, "all");
  close (fd);
  g_assert_false (th_reading_is_unchanged (reading));
}

/* Those that wait are woken although the kernel does not let their processes die. */
static void
test_wake (Place *place, gconstpointer trouble)
{
  Waiter waiters[2];

  if (skips (trouble))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (waiters); i++)
    waiters[i] = (Waiter){ .world = &place->world, .where = place->path, .opens = TRUE };
  stall_mount_stall (place->stall, "read");
  waiter_start (&waiters[0]);
  g_usleep (100 * 1000);
  th_readers_leave (place->world.readers, place->stall->point);
  waiter_end (&waiters[0], G_IO_ERROR_CANCELLED);
  stall_mount_stall (place->stall, "lookup");
  waiter_start (&waiters[1]);
  g_usleep (100 * 1000);
  th_readers_close (place->world.readers);
  waiter_end (&waiters[1], G_IO_ERROR_CANCELLED);
}

#define BATCH   40u
#define BATCHES 4u

/* So many at once, none of which is answered. Returns how many processes there are afterwards. */
static guint
flood (Place *place)
{
  Waiter waiters[BATCH];
  g_autoptr (GArray) children = NULL;

  for (guint i = 0; i < BATCH; i++)
    {
      waiters[i] = (Waiter){ .world = &place->world, .where = place->path };
      waiter_start (&waiters[i]);
    }
  for (guint i = 0; i < BATCH; i++)
    waiter_end (&waiters[i], G_IO_ERROR_TIMED_OUT);
  children = world_children ();
  return children->len;
}

/* A flood of files on a dead server does not eat the process table, and all is well when it is
 * gone. */
static void
test_flood (Place *place, gconstpointer trouble)
{
  g_autofree char *local = NULL;
  g_auto (ThFacts) facts = { 0 };
  guint n = 0;

  if (skips (trouble))
    return;
  local = world_file (&place->world, "local", TEXT, strlen (TEXT));
  world_stall_after (&place->world, STALL_MS, PATIENT_MS);
  stall_mount_stall (place->stall, "all");
  for (guint i = 0; i < BATCHES; i++)
    n = flood (place);
  /* Two batches, and the server. */
  g_assert_cmpuint (n, <=, 2 * BATCH + 1);
  world_look_fails (&place->world, local, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  stall_mount_stop (g_steal_pointer (&place->stall));
  world_wait_for_no_process (&place->world);
  th_reading_free (world_look (&place->world, local, &facts));
}

#define ADD(name, function)                                                                        \
  g_test_add ("/reader/fuse/" name, Place, trouble, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  ADD ("answers", test_answers);
  ADD ("look", test_look);
  ADD ("open", test_open);
  ADD ("close", test_close);
  ADD ("wake", test_wake);
  ADD ("flood", test_flood);
  return g_test_run ();
}
