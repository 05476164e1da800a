/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/zip-file.h"

#include <string.h>

#define LOCAL_BYTES    30u
#define CENTRAL_BYTES  46u
#define END_BYTES      22u
#define LOCATOR_BYTES  20u
#define END_64_BYTES   56u
#define FIELD_64       1u /* of the extra ones: numbers of 64 bits */
#define MOST_MIME      255u
#define MOST_ENTRIES   65536u
#define FLAG_ENCRYPTED 1u
#define DEFLATED       8u
#define ELSEWHERE      0xffffffffu /* the number is in a field of 64 bits */

static const char mime_name[] = "mimetype";

static guint32
u16 (ThBytes bytes, gsize offset)
{
  guint16 value = 0;

  th_bytes_u16 (bytes, offset, FALSE, &value);
  return value;
}

static guint64
u32 (ThBytes bytes, gsize offset)
{
  guint32 value = 0;

  th_bytes_u32 (bytes, offset, FALSE, &value);
  return value;
}

static guint64
u64 (ThBytes bytes, gsize offset)
{
  return u32 (bytes, offset) | u32 (bytes, offset + 4) << 32;
}

/* Numbers that have no room in 32 bits, in the order of the standard. */
static void
read_64 (ThBytes extra, guint64 *numbers, guint n)
{
  ThBytes field;
  gsize at = 0;

  while (at + 4 <= extra.size && u16 (extra, at) != FIELD_64)
    at += 4 + u16 (extra, at + 2);
  if (!th_bytes_slice (extra, MIN (at + 4, extra.size), u16 (extra, at + 2), &field))
    return;
  at = 0;
  for (guint i = 0; i < n; i++)
    if (numbers[i] == ELSEWHERE)
      {
        numbers[i] = u64 (field, at);
        at += 8;
      }
}

ThBytes
th_zip_mime_type (ThInput *input)
{
  static const ThBytes nothing = { NULL, 0 };
  const ThBytes head = th_input_peek (input, 0, LOCAL_BYTES);
  const guint32 length = u16 (head, 26), more = u16 (head, 28);
  guint64 numbers[2] = { u32 (head, 22), u32 (head, 18) };
  const gboolean stored = u16 (head, 8) == 0;
  ThBytes bytes, extra, found;

  if (!th_bytes_starts_with (head, "PK\3\4", 4) || !stored || length != sizeof mime_name - 1)
    return nothing;
  bytes = th_input_peek (input, LOCAL_BYTES, MIN (length + more + MOST_MIME, TH_INPUT_WINDOW));
  if (!th_bytes_starts_with (bytes, mime_name, length)
      || !th_bytes_slice (bytes, length, more, &extra))
    return nothing;
  read_64 (extra, numbers, G_N_ELEMENTS (numbers));
  if (numbers[0] > MOST_MIME || !th_bytes_slice (bytes, length + more, (gsize) numbers[0], &found))
    return nothing;
  return found;
}

/* The record that ends the file with its comment, or else the last one; FALSE where there is none.
 */
static gboolean
find_end (ThInput *input, guint64 *offset)
{
  const guint64 size = th_input_size (input);
  const gsize most = (gsize) MIN (size, TH_INPUT_WINDOW);
  const ThBytes tail = th_input_peek (input, size - most, most);
  gboolean found = FALSE;

  for (gsize at = tail.size; at-- > 0;)
    {
      const gsize behind = tail.size - at - MIN (tail.size - at, END_BYTES);
      ThBytes record;

      if (!th_bytes_slice (tail, at, END_BYTES, &record)
          || !th_bytes_starts_with (record, "PK\5\6", 4) || u16 (record, 20) > behind
          || (found && u16 (record, 20) != behind))
        continue;
      *offset = size - most + at;
      found = TRUE;
      if (u16 (record, 20) == behind)
        break;
    }
  return found;
}

static gboolean
find_directory (ThInput *input, guint64 *start, guint64 *end)
{
  guint64 at;
  ThBytes record;

  if (!find_end (input, &at))
    return FALSE;
  *end = at;
  record = th_input_peek (input, at, END_BYTES);
  *start = u32 (record, 16);
  if (*start != ELSEWHERE || at < LOCATOR_BYTES)
    return *start < *end;
  record = th_input_peek (input, at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (!th_bytes_starts_with (record, "PK\6\7", 4))
    return FALSE;
  *end = u64 (record, 8);
  record = th_input_peek (input, *end, END_64_BYTES);
  *start = u64 (record, 48);
  return th_bytes_starts_with (record, "PK\6\6", 4) && *start < *end;
}

/* head and extra are those of the directory. */
static ThZipEntry
read_entry (ThInput *input, ThBytes head, ThBytes extra)
{
  static const ThZipEntry none = { 0 };
  guint64 numbers[3] = { u32 (head, 24), u32 (head, 20), u32 (head, 42) };
  const guint method = u16 (head, 10);
  const gboolean encrypted = (u16 (head, 8) & FLAG_ENCRYPTED) != 0;
  ThZipEntry entry;
  ThBytes local;

  read_64 (extra, numbers, G_N_ELEMENTS (numbers));
  entry = (ThZipEntry){ numbers[2], numbers[1], numbers[0], method == DEFLATED };
  if (encrypted || (method != 0 && method != DEFLATED)
      || (!entry.deflated && entry.size != entry.packed))
    return none;
  local = th_input_peek (input, entry.offset, LOCAL_BYTES);
  if (!th_bytes_starts_with (local, "PK\3\4", 4) || local.size < LOCAL_BYTES)
    return none;
  entry.offset += LOCAL_BYTES + u16 (local, 26) + u16 (local, 28);
  if (entry.offset > th_input_size (input) || entry.packed > th_input_size (input) - entry.offset)
    return none;
  return entry;
}

/* FALSE at the end. */
static gboolean
next_entry (ThInput *input, guint64 *at, const char *const *names, ThZipEntry *entries, guint n)
{
  ThBytes head = th_input_peek (input, *at, CENTRAL_BYTES);
  const guint32 length = u16 (head, 28), more = u16 (head, 30);
  const gsize whole = CENTRAL_BYTES + length + more;
  const guint64 next = *at + whole + u16 (head, 32);
  ThBytes name, extra;

  if (!th_bytes_starts_with (head, "PK\1\2", 4) || head.size < CENTRAL_BYTES)
    return FALSE;
  head = th_input_peek (input, *at, MIN (whole, TH_INPUT_WINDOW));
  *at = next;
  if (!th_bytes_slice (head, CENTRAL_BYTES, length, &name)
      || !th_bytes_slice (head, CENTRAL_BYTES + length, more, &extra))
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (entries[i].size == 0 && strlen (names[i]) == length
        && th_bytes_starts_with (name, names[i], length))
      {
        entries[i] = read_entry (input, head, extra);
        return TRUE;
      }
  return TRUE;
}

gboolean
th_zip_find (ThInput *input, const char *const *names, ThZipEntry *entries, guint n)
{
  guint64 at, end;

  memset (entries, 0, n * sizeof *entries);
  if (!find_directory (input, &at, &end))
    return FALSE;
  for (guint i = 0; i < MOST_ENTRIES && at < end; i++)
    if (!next_entry (input, &at, names, entries, n))
      break;
  return TRUE;
}
