/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-input.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SIZE (3 * TH_INPUT_WINDOW + 17)

typedef struct
{
  guint8 data[SIZE];
  int fd; /* the same in a file */
} Fixture;

static int
temporary_file (const void *data, gsize size)
{
  char name[] = "/tmp/thimble-input-XXXXXX";
  const int fd = g_mkstemp (name);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (unlink (name), ==, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
  return fd;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  for (gsize i = 0; i < SIZE; i++)
    fixture->data[i] = (guint8) (i * 7 + i / 251);
  fixture->fd = temporary_file (fixture->data, SIZE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  close (fixture->fd);
}

static ThInput *
open_either (Fixture *fixture, gboolean memory)
{
  return memory ? th_input_new_bytes (fixture->data, SIZE) : th_input_new_fd (fixture->fd, NULL);
}

static const guint64 offsets[] = { 0,
                                   1,
                                   100,
                                   TH_INPUT_WINDOW - 1,
                                   TH_INPUT_WINDOW,
                                   SIZE - 1,
                                   SIZE,
                                   SIZE + 1,
                                   G_GUINT64_CONSTANT (1) << 32,
                                   (G_GUINT64_CONSTANT (1) << 32) + 5,
                                   G_MAXINT64,
                                   G_MAXUINT64 - 1,
                                   G_MAXUINT64 };
static const gsize lengths[] = { 0, 1, 17, TH_INPUT_WINDOW, TH_INPUT_WINDOW + 1, SIZE };

static void
check_read (ThInput *input, const Fixture *fixture, guint64 offset, gsize length)
{
  g_autofree guint8 *got = g_malloc (length + 1);
  const guint64 left = offset < SIZE ? SIZE - offset : 0;
  const gsize wanted = (gsize) MIN (length, left);

  got[wanted] = 0x5a;
  g_assert_cmpint (th_input_read (input, offset, got, length), ==, (gssize) wanted);
  if (wanted > 0)
    g_assert_cmpint (memcmp (got, fixture->data + offset, wanted), ==, 0);
  g_assert_cmphex (got[wanted], ==, 0x5a);
}

static void
test_read (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = open_either (fixture, data != NULL);

  g_assert_cmpuint (th_input_size (input), ==, SIZE);
  for (gsize i = 0; i < G_N_ELEMENTS (offsets); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
      check_read (input, fixture, offsets[i], lengths[k]);
  g_assert_false (th_input_failed (input));
}

static void
check_peek (ThInput *input, const Fixture *fixture, guint64 offset, gsize wanted)
{
  const guint64 left = offset < SIZE ? SIZE - offset : 0;
  const ThBytes got = th_input_peek (input, offset, wanted);

  g_assert_cmpuint (got.size, >=, MIN (MIN (wanted, TH_INPUT_WINDOW), left));
  g_assert_cmpuint (got.size, <=, MIN (TH_INPUT_WINDOW, left));
  if (got.size > 0)
    g_assert_cmpint (memcmp (got.data, fixture->data + offset, got.size), ==, 0);
}

static void
test_peek (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = open_either (fixture, data != NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (gsize i = 0; i < G_N_ELEMENTS (offsets); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
      check_peek (input, fixture, offsets[i], MIN (lengths[k], TH_INPUT_WINDOW));
  /* Forwards and backwards over the edges of the window. */
  for (guint i = 0; i < 5000; i++)
    check_peek (input, fixture, (guint64) g_rand_int_range (rand, 0, SIZE + 10),
                (gsize) g_rand_int_range (rand, 0, TH_INPUT_WINDOW + 1));
  g_assert_false (th_input_failed (input));
}

static void
check_part (Fixture *fixture, ThInput *input, gsize offset, gsize size, gsize head_size)
{
  static const guint8 head[TH_INPUT_HEAD] = "what stands before";
  g_autoptr (ThInput) part = th_input_new_part (input, offset, size, (ThBytes){ head, head_size });
  const gsize there = offset < SIZE ? MIN (size, SIZE - offset) : 0;
  g_autofree guint8 *all = g_malloc (head_size + there + 1);
  g_autofree guint8 *got = g_malloc (head_size + there + 1);

  if (head_size > 0)
    memcpy (all, head, head_size);
  if (there > 0)
    memcpy (all + head_size, fixture->data + offset, there);
  g_assert_cmpuint (th_input_size (part), ==, head_size + there);
  g_assert_cmpint (th_input_read (part, 0, got, head_size + there + 1), ==,
                   (gssize) (head_size + there));
  g_assert_true (memcmp (got, all, head_size + there) == 0);
  for (gsize at = 0; at <= head_size + there; at += 1 + at / 3)
    {
      const ThBytes view = th_input_peek (part, at, TH_INPUT_WINDOW);

      g_assert_cmpuint (view.size, ==, MIN (TH_INPUT_WINDOW, head_size + there - at));
      g_assert_true (memcmp (view.data, all + at, view.size) == 0);
      g_assert_cmpint (th_input_read (part, at, got, 7), ==,
                       (gssize) MIN (7, head_size + there - at));
      g_assert_true (memcmp (got, all + at, MIN (7, head_size + there - at)) == 0);
    }
  g_assert_false (th_input_failed (part));
}

static void
test_part (Fixture *fixture, gconstpointer data)
{
  static const gsize at[] = { 0, 1, 70000, SIZE - 3, SIZE, SIZE + 9, G_MAXSIZE };
  g_autoptr (ThInput) input = open_either (fixture, data != NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (at); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (at); k++)
      {
        check_part (fixture, input, at[i], at[k], 0);
        check_part (fixture, input, at[i], at[k], 54);
        check_part (fixture, input, at[i], at[k], TH_INPUT_HEAD);
      }
}

/* A part of a part lies within it. */
static void
test_inner_part (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = open_either (fixture, data != NULL);
  g_autoptr (ThInput) outer = th_input_new_part (input, 100, 50, (ThBytes){ NULL, 0 });
  g_autoptr (ThInput) inner = th_input_new_part (outer, 40, 999, (ThBytes){ NULL, 0 });
  guint8 got[20];

  g_assert_cmpuint (th_input_size (inner), ==, 10);
  g_assert_cmpint (th_input_read (inner, 0, got, sizeof got), ==, 10);
  g_assert_cmpmem (got, 10, fixture->data + 140, 10);
}

/* A file cut short under way ends early, without a signal and without an error. */
static void
test_shrinking (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = th_input_new_fd (fixture->fd, NULL);
  guint8 buffer[64];

  g_assert_cmpint (ftruncate (fixture->fd, 1000), ==, 0);
  g_assert_cmpuint (th_input_size (input), ==, SIZE);
  g_assert_cmpint (th_input_read (input, 990, buffer, sizeof buffer), ==, 10);
  g_assert_cmpint (th_input_read (input, 1000, buffer, sizeof buffer), ==, 0);
  g_assert_cmpuint (th_input_peek (input, 960, 64).size, ==, 40);
  g_assert_cmpuint (th_input_peek (input, 2000, 64).size, ==, 0);
  g_assert_false (th_input_failed (input));
}

/* What was added after opening is not seen. */
static void
test_growing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = th_input_new_fd (fixture->fd, NULL);
  guint8 buffer[64];

  g_assert_cmpint (ftruncate (fixture->fd, SIZE + 1000), ==, 0);
  g_assert_cmpint (th_input_read (input, SIZE - 10, buffer, sizeof buffer), ==, 10);
  g_assert_cmpuint (th_input_peek (input, SIZE - 10, 64).size, ==, 10);
}

static void
test_read_error (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ThInput) input = th_input_new_fd (fixture->fd, NULL);
  const int writable_only = open ("/dev/null", O_WRONLY);
  guint8 buffer[8];

  g_assert_cmpint (dup2 (writable_only, fixture->fd), ==, fixture->fd);
  close (writable_only);
  g_assert_cmpint (th_input_read (input, 0, buffer, sizeof buffer), ==, -1);
  g_assert_true (th_input_failed (input));
  g_assert_cmpuint (th_input_peek (input, 0, 8).size, ==, 0);
}

static void
test_bad_descriptor (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (th_input_new_fd (-1, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_BADF);
}

static void
test_empty (void)
{
  g_autoptr (ThInput) input = th_input_new_bytes (NULL, 0);
  guint8 buffer[8];

  g_assert_cmpuint (th_input_size (input), ==, 0);
  g_assert_cmpint (th_input_read (input, 0, buffer, sizeof buffer), ==, 0);
  g_assert_cmpuint (th_input_peek (input, 0, 8).size, ==, 0);
  g_assert_false (th_input_failed (input));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/input/read/file", Fixture, NULL, set_up, test_read, tear_down);
  g_test_add ("/input/read/memory", Fixture, "memory", set_up, test_read, tear_down);
  g_test_add ("/input/peek/file", Fixture, NULL, set_up, test_peek, tear_down);
  g_test_add ("/input/peek/memory", Fixture, "memory", set_up, test_peek, tear_down);
  g_test_add ("/input/part/file", Fixture, NULL, set_up, test_part, tear_down);
  g_test_add ("/input/part/memory", Fixture, "memory", set_up, test_part, tear_down);
  g_test_add ("/input/inner-part/file", Fixture, NULL, set_up, test_inner_part, tear_down);
  g_test_add ("/input/inner-part/memory", Fixture, "memory", set_up, test_inner_part, tear_down);
  g_test_add ("/input/shrinking", Fixture, NULL, set_up, test_shrinking, tear_down);
  g_test_add ("/input/growing", Fixture, NULL, set_up, test_growing, tear_down);
  g_test_add ("/input/read-error", Fixture, NULL, set_up, test_read_error, tear_down);
  g_test_add_func ("/input/bad-descriptor", test_bad_descriptor);
  g_test_add_func ("/input/empty", test_empty);
  return g_test_run ();
}
