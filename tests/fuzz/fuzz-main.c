/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without an engine: replays files and folders, and beside each file the same
 * changes every time, so that it is a test of its own. Prints one line; a fault ends the process.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "fuzz.h"

#define SEED          0x7468696du
#define MAX_DEPTH     8
#define TRUNCATE_STEP 64u
#define FLIPS         96u /* changed copies of each file */
#define FLIPS_EACH    4u  /* at most so many bytes changed in one copy */

typedef struct
{
  GRand *rand;
  guint files;
  guint runs;
} Replay;

/* A block of its own of just that size, so that the sanitizers see one byte too far. */
static void
run (Replay *replay, const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);

  LLVMFuzzerTestOneInput (copy, size);
  replay->runs++;
}

static void
run_flipped (Replay *replay, const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  guint flips = (guint) g_rand_int_range (replay->rand, 1, FLIPS_EACH + 1);

  for (guint i = 0; i < flips; i++)
    {
      gsize at = (gsize) (g_rand_double (replay->rand) * (double) size);
      gboolean one_bit = g_rand_boolean (replay->rand);
      guint change = (guint) g_rand_int_range (replay->rand, 1, 256);
      guint8 *byte = copy + MIN (at, size - 1);

      *byte = (guint8) (*byte ^ (one_bit ? 1u << (change & 7) : change));
    }
  run (replay, copy, size);
}

static void
run_with_changes (Replay *replay, const guint8 *data, gsize size)
{
  run (replay, data, size);
  for (gsize end = 0; end < size; end += TRUNCATE_STEP)
    run (replay, data, end);
  for (guint i = 0; size > 0 && i < FLIPS; i++)
    run_flipped (replay, data, size);
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
names_in (GDir *dir)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}

static gboolean
replay_file (Replay *replay, const char *path, GError **error)
{
  g_autofree char *data = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, error))
    return FALSE;
  replay->files++;
  run_with_changes (replay, (const guint8 *) data, size);
  return TRUE;
}

static gboolean
replay_path (Replay *replay, const char *path, guint depth, GError **error)
{
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) names = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return replay_file (replay, path, error);
  dir = depth < MAX_DEPTH ? g_dir_open (path, 0, error) : NULL;
  if (dir == NULL)
    return depth >= MAX_DEPTH;
  names = names_in (dir);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *below = g_build_filename (path, g_ptr_array_index (names, i), NULL);

      if (!replay_path (replay, below, depth + 1, error))
        return FALSE;
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  g_autoptr (GError) error = NULL;
  Replay replay = { .rand = rand };

  run (&replay, (const guint8 *) "", 0);
  for (int i = 1; i < argc; i++)
    if (!replay_path (&replay, argv[i], 0, &error))
      {
        fprintf (stderr, "%s: %s\n", argv[i], error->message);
        return 1;
      }
  if (argc > 1 && replay.files == 0)
    {
      fprintf (stderr, "no file to replay\n");
      return 1;
    }
  printf ("%u files, %u runs\n", replay.files, replay.runs);
  return 0;
}
