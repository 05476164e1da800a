/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of callers whose reader hangs, dies or lies, or cannot be had. */
#include "config.h"

#include <unistd.h>

#include "reader-world.h"

static void
use_fake (World *world, const char *mode)
{
  g_autofree char *fake = g_test_build_filename (G_TEST_BUILT, "reader", "fake-reader", NULL);

  g_setenv ("TH_FAKE", mode, TRUE);
  world->options.program = fake;
  world_start (world);
  world->options.program = NULL;
}

typedef struct
{
  const char *mode;
  int code; /* of G_IO_ERROR; -1: it succeeds */
} Case;

static const Case look_cases[] = {
  { "die", G_IO_ERROR_FAILED },         { "crash", G_IO_ERROR_FAILED },
  { "short", G_IO_ERROR_FAILED },       { "wrong-size", G_IO_ERROR_FAILED },
  { "wrong-magic", G_IO_ERROR_FAILED }, { "wrong-number", G_IO_ERROR_FAILED },
  { "wrong-type", G_IO_ERROR_FAILED },  { "unterminated", G_IO_ERROR_FAILED },
  { "relative", G_IO_ERROR_FAILED },    { "nanoseconds", G_IO_ERROR_FAILED },
  { "negative", G_IO_ERROR_FAILED },    { "flag", G_IO_ERROR_FAILED },
  { "unasked", G_IO_ERROR_FAILED },     { "domain", G_IO_ERROR_FAILED },
  { "io-code", G_IO_ERROR_FAILED },     { "cancelled", G_IO_ERROR_FAILED },
  { "deaf", G_IO_ERROR_FAILED },        { "old", G_IO_ERROR_FAILED },
};

/* Twice: the next one gets another process. */
static void
test_look (World *world, gconstpointer unused)
{
  for (guint i = 0; i < G_N_ELEMENTS (look_cases); i++)
    {
      g_test_message ("%s", look_cases[i].mode);
      use_fake (world, look_cases[i].mode);
      world_look_fails (world, "/a", G_IO_ERROR, look_cases[i].code);
      world_look_fails (world, "sftp://a/b", G_IO_ERROR, look_cases[i].code);
    }
  use_fake (world, "code");
  world_look_fails (world, "/a", G_FILE_ERROR, G_FILE_ERROR_FAILED);
}

static void
test_look_hangs (World *world, gconstpointer unused)
{
  world->options.stall_ms = STALL_MS;
  use_fake (world, "hang");
  world_look_fails (world, "/a", G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  world_look_fails (world, "/a", G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  world->options.stall_ms = PATIENT_MS;
  world->options.total_ms = STALL_MS;
  use_fake (world, "chatter");
  world_look_fails (world, "/a", G_IO_ERROR, G_IO_ERROR_BUSY);
}

static const Case open_cases[] = {
  { "open-die", G_IO_ERROR_FAILED },      { "open-nothing", G_IO_ERROR_FAILED },
  { "open-unsealed", G_IO_ERROR_FAILED }, { "open-large", G_IO_ERROR_FAILED },
  { "open-file", G_IO_ERROR_FAILED },     { "open-folder", G_IO_ERROR_FAILED },
  { "open-two", G_IO_ERROR_FAILED },
};

static void
open_badly (World *world, const char *mode, ThReadHow how, int code)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  g_test_message ("%s", mode);
  use_fake (world, mode);
  reading = world_look (world, "/a", &facts);
  world_open_fails (reading, how, G_IO_ERROR, code);
  /* Given up is given up. */
  world_open_fails (reading, how, G_IO_ERROR, code);
  g_assert_false (th_reading_is_unchanged (reading));
  g_clear_pointer (&reading, th_reading_free);
  reading = world_look (world, "/a", &facts);
}

static void
test_open (World *world, gconstpointer unused)
{
  for (guint i = 0; i < G_N_ELEMENTS (open_cases); i++)
    {
      open_badly (world, open_cases[i].mode, TH_READ_COPY, open_cases[i].code);
      open_badly (world, open_cases[i].mode, TH_READ_PREVIEW, open_cases[i].code);
      open_badly (world, open_cases[i].mode, TH_READ_DIRECT, open_cases[i].code);
    }
  /* A copy where the file itself was asked for. */
  open_badly (world, "good", TH_READ_DIRECT, G_IO_ERROR_FAILED);
}

static void
test_open_hangs (World *world, gconstpointer unused)
{
  world->options.stall_ms = STALL_MS;
  open_badly (world, "open-hang", TH_READ_COPY, G_IO_ERROR_TIMED_OUT);
  world->options.stall_ms = PATIENT_MS;
  world->options.total_ms = STALL_MS;
  open_badly (world, "open-chatter", TH_READ_COPY, G_IO_ERROR_BUSY);
}

/* One that does not let go of what it had costs the next file nothing but time, and is not waited
 * for by the last. */
static void
test_close_hangs (World *world, gconstpointer unused)
{
  g_auto (ThFacts) facts = { 0 };

  world->options.stall_ms = STALL_MS;
  use_fake (world, "close-hang");
  for (guint i = 0; i < 3; i++)
    th_reading_free (world_look (world, "/a", &facts));
  world_wait_for_no_process (world);
}

static void
test_no_program (World *world, gconstpointer unused)
{
  world->options.program = "/nowhere/thimble-reader";
  world_start (world);
  world->options.program = NULL;
  world_look_fails (world, "/a", G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_null (th_readers_schemes (world->readers, NULL));
  g_assert_cmpint (th_readers_tend (world->readers), ==, 0);
}

static void
wait_for_children (guint n)
{
  for (;;)
    {
      g_autoptr (GArray) children = world_children ();

      if (children->len >= n)
        return;
      g_usleep (1000);
    }
}

static void
test_close_wakes (World *world, gconstpointer mode)
{
  Waiter waiters[] = {
    { .world = world, .where = "/a", .opens = TRUE },
    { .world = world, .where = "sftp://a/b", .opens = TRUE },
  };

  use_fake (world, mode);
  for (guint i = 0; i < G_N_ELEMENTS (waiters); i++)
    waiter_start (&waiters[i]);
  wait_for_children (G_N_ELEMENTS (waiters));
  th_readers_close (world->readers);
  for (guint i = 0; i < G_N_ELEMENTS (waiters); i++)
    waiter_end (&waiters[i], G_IO_ERROR_CANCELLED);
  world_wait_for_no_process (world);
}

static void
test_leave_wakes (World *world, gconstpointer mode)
{
  Waiter waiters[] = {
    { .world = world, .where = "/a/b", .opens = TRUE },
    { .world = world, .where = "/a", .opens = TRUE },
    { .world = world, .where = "/ab", .opens = TRUE },
    { .world = world, .where = "sftp://a/b", .opens = TRUE },
  };

  use_fake (world, mode);
  for (guint i = 0; i < G_N_ELEMENTS (waiters); i++)
    waiter_start (&waiters[i]);
  wait_for_children (G_N_ELEMENTS (waiters));
  th_readers_leave (world->readers, "/a/");
  waiter_end (&waiters[0], G_IO_ERROR_CANCELLED);
  waiter_end (&waiters[1], G_IO_ERROR_CANCELLED);
  th_readers_leave (world->readers, "sftp://a");
  waiter_end (&waiters[3], G_IO_ERROR_CANCELLED);
  th_readers_close (world->readers);
  waiter_end (&waiters[2], G_IO_ERROR_CANCELLED);
}

#define ADD(name, function, mode)                                                                  \
  g_test_add ("/reader/broken/" name, World, mode, world_set_up, function, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("look", test_look, NULL);
  ADD ("look-hangs", test_look_hangs, NULL);
  ADD ("open", test_open, NULL);
  ADD ("open-hangs", test_open_hangs, NULL);
  ADD ("close-hangs", test_close_hangs, NULL);
  ADD ("no-program", test_no_program, NULL);
  ADD ("close-wakes/start", test_close_wakes, "mute");
  ADD ("close-wakes/look", test_close_wakes, "hang");
  ADD ("close-wakes/open", test_close_wakes, "open-hang");
  ADD ("leave-wakes/look", test_leave_wakes, "hang");
  ADD ("leave-wakes/open", test_leave_wakes, "open-hang");
  return g_test_run ();
}
