/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-sweep-state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/th-atomic.h"
#include "cache/th-decimal.h"

#define NAME  ".sweep"
#define MAGIC "thimble sweep 1\n"
#define END   "end\n"
/* A line for each rank, with two numbers, is less. */
#define MAX_BYTES  (64 * 1024)
#define MAX_AGE    (7 * 24 * 3600)
#define PLACE_SPAN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+~/"

/* Numbers of the second line, in their order. */
enum
{
  PASS,
  BEGIN,
  BUDGET_BYTES,
  BUDGET_AGE,
  PART,
  LEFT_FILES,
  LEFT_BYTES,
  CUT_RANK,
  CUT_BYTES,
  N_NUMBERS
};

gboolean
th_sweep_state_can_hold (const char *folder, const char *name)
{
  return strspn (name, PLACE_SPAN) == strlen (name)
         && strlen (folder) + strlen (name) < sizeof ((ThSweepState *) NULL)->place;
}

void
th_sweep_state_begin (ThSweepState *state, const ThSweepBudget *budget, gint64 now)
{
  *state = (ThSweepState){ .begin = now, .budget = *budget };
}

static char *
read_file (int root)
{
  int fd = openat (root, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  g_autofree char *text = NULL;
  struct stat st;
  ssize_t n = -1;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_size < MAX_BYTES)
    {
      text = g_malloc (MAX_BYTES);
      n = read (fd, text, MAX_BYTES - 1);
    }
  close (fd);
  if (n < 0)
    return NULL;
  text[n] = '\0';
  return g_steal_pointer (&text);
}

static gboolean
skip (const char **cursor, const char *text)
{
  if (!g_str_has_prefix (*cursor, text))
    return FALSE;
  *cursor += strlen (text);
  return TRUE;
}

static gboolean
parse_numbers (const char **cursor, guint64 numbers[N_NUMBERS])
{
  for (guint i = 0; i < N_NUMBERS; i++)
    {
      if (!th_decimal_u64 (cursor, &numbers[i]) || !skip (cursor, i + 1 < N_NUMBERS ? " " : "\n"))
        return FALSE;
    }
  return numbers[PASS] <= TH_SWEEP_TRIM && numbers[BEGIN] <= G_MAXINT64
         && numbers[BUDGET_AGE] <= G_MAXUINT32 && numbers[PART] < TH_SWEEP_PARTS
         && numbers[CUT_RANK] <= TH_SWEEP_RANKS;
}

static gboolean
parse_place (const char **cursor, ThSweepState *state)
{
  gsize length = strspn (*cursor, PLACE_SPAN);

  if (length >= sizeof state->place || (*cursor)[length] != '\n')
    return FALSE;
  memcpy (state->place, *cursor, length);
  state->place[length] = '\0';
  *cursor += length + 1;
  return TRUE;
}

/* A sum that does not fit would be no disk's. */
static gboolean
parse_ages (const char **cursor, ThSweepAges *ages)
{
  guint64 total = 0;

  while (!g_str_has_prefix (*cursor, END))
    {
      guint64 rank, bytes;

      if (!th_decimal_u64 (cursor, &rank) || rank >= TH_SWEEP_RANKS || !skip (cursor, " ")
          || !th_decimal_u64 (cursor, &bytes) || !skip (cursor, "\n") || ages->bytes[rank] != 0
          || !g_uint64_checked_add (&total, total, bytes))
        return FALSE;
      ages->bytes[rank] = bytes;
    }
  return strcmp (*cursor, END) == 0;
}

static gboolean
parse (const char *text, ThSweepState *state)
{
  guint64 numbers[N_NUMBERS];

  if (!skip (&text, MAGIC) || !parse_numbers (&text, numbers) || !parse_place (&text, state)
      || !parse_ages (&text, &state->ages))
    return FALSE;
  state->pass = (ThSweepPass) numbers[PASS];
  state->begin = (gint64) numbers[BEGIN];
  state->budget = (ThSweepBudget){ numbers[BUDGET_BYTES], (guint32) numbers[BUDGET_AGE] };
  state->part = (guint) numbers[PART];
  state->left = (ThSweepSum){ numbers[LEFT_FILES], numbers[LEFT_BYTES] };
  state->cut = (ThSweepCut){ (guint) numbers[CUT_RANK], numbers[CUT_BYTES] };
  return TRUE;
}

gboolean
th_sweep_state_load (ThSweepState *state, int root, const ThSweepBudget *budget, gint64 now)
{
  g_autofree char *text = read_file (root);

  th_sweep_state_begin (state, budget, now);
  if (text && parse (text, state) && state->budget.max_bytes == budget->max_bytes
      && state->budget.max_age == budget->max_age && state->begin <= now
      && now - state->begin <= MAX_AGE)
    return TRUE;
  th_sweep_state_begin (state, budget, now);
  return FALSE;
}

gboolean
th_sweep_state_save (const ThSweepState *state, int root, GError **error)
{
  const guint64 numbers[N_NUMBERS] = {
    [PASS] = state->pass,
    [BEGIN] = (guint64) state->begin,
    [BUDGET_BYTES] = state->budget.max_bytes,
    [BUDGET_AGE] = state->budget.max_age,
    [PART] = state->part,
    [LEFT_FILES] = state->left.files,
    [LEFT_BYTES] = state->left.bytes,
    [CUT_RANK] = state->cut.rank,
    [CUT_BYTES] = state->cut.bytes,
  };
  GString *text = g_string_new (MAGIC);
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < N_NUMBERS; i++)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT "%c", numbers[i],
                            i + 1 < N_NUMBERS ? ' ' : '\n');
  g_string_append_printf (text, "%s\n", state->place);
  for (guint rank = 0; rank < TH_SWEEP_RANKS; rank++)
    {
      if (state->ages.bytes[rank] != 0)
        g_string_append_printf (text, "%u %" G_GUINT64_FORMAT "\n", rank, state->ages.bytes[rank]);
    }
  g_string_append (text, END);
  bytes = g_string_free_to_bytes (text);
  return th_atomic_write_at (root, NAME, bytes, error);
}

void
th_sweep_state_remove (int root)
{
  unlinkat (root, NAME, 0);
}
