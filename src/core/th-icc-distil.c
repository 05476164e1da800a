/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-icc-distil.h"

#include <string.h>

/* ICC.1:2022, 7.2 and 7.3 */
#define HEADER_BYTES 128u
#define ENTRY_BYTES  12u
#define TABLE_OFFSET (HEADER_BYTES + 4)
#define TAGS_MAX     100u
#define MAJOR_MAX    4
#define CURVE_MAX    32767u
#define MFT2_STEPS   4096u

#define SIGNATURE(a, b, c, d)                                                                      \
  ((guint32) (a) << 24 | (guint32) (b) << 16 | (guint32) (c) << 8 | (guint32) (d))

typedef gboolean (*Fits) (ThBytes data, guint channels);

typedef struct
{
  guint32 type;
  Fits fits;
} TypeRow;

typedef struct
{
  guint32 tag;
  const TypeRow *types; /* ends with a type of 0 */
} TagRow;

typedef struct
{
  guint32 tag;
  ThBytes data;
} Entry;

static gboolean
product_fits (ThBytes data, guint64 offset, guint64 count, guint64 size)
{
  return count <= data.size && offset + count * size <= data.size;
}

static gboolean
xyz_fits (ThBytes data, guint channels)
{
  return data.size >= 20;
}

static gboolean
matrix_fits (ThBytes data, guint channels)
{
  return data.size >= 8 + 9 * 4;
}

static gboolean
curve_fits (ThBytes data, guint channels)
{
  guint32 count;

  return th_bytes_u32 (data, 8, TRUE, &count) && count <= CURVE_MAX
         && product_fits (data, 12, count, 2);
}

static gboolean
parametric_fits (ThBytes data, guint channels)
{
  static const guint8 numbers[] = { 1, 3, 4, 5, 7 };
  guint16 kind;

  return th_bytes_u16 (data, 8, TRUE, &kind) && kind < G_N_ELEMENTS (numbers)
         && product_fits (data, 12, numbers[kind], 4);
}

/* Values of a table with steps along each of its sides; G_MAXUINT64 where nobody has that many. */
static guint64
table_values (const guint8 *steps, guint channels, gboolean same)
{
  guint64 values = 3;

  for (guint i = 0; i < channels; i++)
    {
      const guint8 n = steps[same ? 0 : i];

      if (n < 2 || values > TH_ICC_MAX_BYTES)
        return G_MAXUINT64;
      values *= n;
    }
  return values;
}

/* The head that all tables have in common. */
static gboolean
has_shape (ThBytes data, gsize least, guint channels)
{
  return data.size >= least && data.data[8] == channels && data.data[9] == 3;
}

static gboolean
mft1_fits (ThBytes data, guint channels)
{
  guint64 values;

  if (!has_shape (data, 48, channels))
    return FALSE;
  values = table_values (data.data + 10, channels, TRUE);
  return product_fits (data, 48 + 256 * (channels + 3), values, 1);
}

static gboolean
mft2_fits (ThBytes data, guint channels)
{
  guint64 values;
  guint16 in, out;

  if (!has_shape (data, 52, channels))
    return FALSE;
  th_bytes_u16 (data, 48, TRUE, &in);
  th_bytes_u16 (data, 50, TRUE, &out);
  if (in < 2 || out < 2 || in > MFT2_STEPS || out > MFT2_STEPS)
    return FALSE;
  values = table_values (data.data + 10, channels, TRUE);
  return product_fits (data, 52 + 2 * (guint64) (in * channels + out * 3u), values, 2);
}

/* n curves, one after the other, each padded to four bytes. */
static gboolean
curves_fit (ThBytes data, guint32 offset, guint n, guint channels)
{
  guint64 at = offset;

  for (guint i = 0; i < n; i++)
    {
      ThBytes one;
      guint32 type, count;
      guint16 kind;

      if (at > data.size || !th_bytes_slice (data, (gsize) at, data.size - (gsize) at, &one)
          || !th_bytes_u32 (one, 0, TRUE, &type))
        return FALSE;
      if (type == SIGNATURE ('c', 'u', 'r', 'v') && curve_fits (one, channels)
          && th_bytes_u32 (one, 8, TRUE, &count))
        at += (12 + 2 * (guint64) count + 3) & ~G_GUINT64_CONSTANT (3);
      else if (type == SIGNATURE ('p', 'a', 'r', 'a') && parametric_fits (one, channels)
               && th_bytes_u16 (one, 8, TRUE, &kind))
        at += 12 + 4 * (kind == 0 ? 1u : kind == 4 ? 7u : kind + 2u);
      else
        return FALSE;
    }
  return TRUE;
}

static gboolean
mab_table_fits (ThBytes data, guint32 offset, guint channels)
{
  ThBytes table;
  guint8 width;

  if (offset > data.size || !th_bytes_slice (data, offset, data.size - offset, &table)
      || !th_bytes_u8 (table, 16, &width) || table.size < 20 || width < 1 || width > 2)
    return FALSE;
  return product_fits (table, 20, table_values (table.data, channels, FALSE), width);
}

static gboolean
mab_fits (ThBytes data, guint channels)
{
  guint32 b, matrix, m, table, a;

  if (!has_shape (data, 32, channels))
    return FALSE;
  th_bytes_u32 (data, 12, TRUE, &b);
  th_bytes_u32 (data, 16, TRUE, &matrix);
  th_bytes_u32 (data, 20, TRUE, &m);
  th_bytes_u32 (data, 24, TRUE, &table);
  th_bytes_u32 (data, 28, TRUE, &a);
  /* Without a table there is no way from another number of channels to three. */
  if (b == 0 || (table == 0 && channels != 3))
    return FALSE;
  return curves_fit (data, b, 3, channels) && (m == 0 || curves_fit (data, m, 3, channels))
         && (a == 0 || curves_fit (data, a, channels, channels))
         && (matrix == 0 || (matrix <= data.size && data.size - matrix >= 12 * 4))
         && (table == 0 || mab_table_fits (data, table, channels));
}

static const TypeRow xyz_types[] = { { SIGNATURE ('X', 'Y', 'Z', ' '), xyz_fits }, { 0 } };
static const TypeRow matrix_types[] = { { SIGNATURE ('s', 'f', '3', '2'), matrix_fits }, { 0 } };
static const TypeRow curve_types[] = {
  { SIGNATURE ('c', 'u', 'r', 'v'), curve_fits },
  { SIGNATURE ('p', 'a', 'r', 'a'), parametric_fits },
  { 0 },
};
static const TypeRow table_types[] = {
  { SIGNATURE ('m', 'f', 't', '1'), mft1_fits },
  { SIGNATURE ('m', 'f', 't', '2'), mft2_fits },
  { SIGNATURE ('m', 'A', 'B', ' '), mab_fits },
  { 0 },
};

static const TagRow tag_rows[] = {
  { SIGNATURE ('w', 't', 'p', 't'), xyz_types },   { SIGNATURE ('c', 'h', 'a', 'd'), matrix_types },
  { SIGNATURE ('r', 'X', 'Y', 'Z'), xyz_types },   { SIGNATURE ('g', 'X', 'Y', 'Z'), xyz_types },
  { SIGNATURE ('b', 'X', 'Y', 'Z'), xyz_types },   { SIGNATURE ('r', 'T', 'R', 'C'), curve_types },
  { SIGNATURE ('g', 'T', 'R', 'C'), curve_types }, { SIGNATURE ('b', 'T', 'R', 'C'), curve_types },
  { SIGNATURE ('k', 'T', 'R', 'C'), curve_types }, { SIGNATURE ('A', '2', 'B', '0'), table_types },
};

/* Input, display, output, colour space: no links, no effects, no named colours. */
static gboolean
is_device (guint32 class)
{
  return class == SIGNATURE ('s', 'c', 'n', 'r') || class == SIGNATURE ('m', 'n', 't', 'r')
         || class == SIGNATURE ('p', 'r', 't', 'r') || class == SIGNATURE ('s', 'p', 'a', 'c');
}

static guint32
space_of (ThColorModel model)
{
  switch (model)
    {
    case TH_COLOR_GREY:
      return SIGNATURE ('G', 'R', 'A', 'Y');
    case TH_COLOR_CMYK:
      return SIGNATURE ('C', 'M', 'Y', 'K');
    case TH_COLOR_RGB:
    default:
      return SIGNATURE ('R', 'G', 'B', ' ');
    }
}

/* The profile as long as it says, or FALSE. */
static gboolean
check_header (ThBytes profile, ThColorModel model, ThBytes *whole)
{
  guint32 size, class, space, pcs, magic;

  if (profile.size > TH_ICC_MAX_BYTES || !th_bytes_u32 (profile, 0, TRUE, &size)
      || size < TABLE_OFFSET || !th_bytes_slice (profile, 0, size, whole))
    return FALSE;
  th_bytes_u32 (profile, 12, TRUE, &class);
  th_bytes_u32 (profile, 16, TRUE, &space);
  th_bytes_u32 (profile, 20, TRUE, &pcs);
  th_bytes_u32 (profile, 36, TRUE, &magic);
  return magic == SIGNATURE ('a', 'c', 's', 'p') && profile.data[8] <= MAJOR_MAX
         && is_device (class) && space == space_of (model)
         && (pcs == SIGNATURE ('X', 'Y', 'Z', ' ') || pcs == SIGNATURE ('L', 'a', 'b', ' '));
}

static gboolean
data_fit (const TypeRow *types, ThBytes data, guint channels)
{
  guint32 type;

  if (!th_bytes_u32 (data, 0, TRUE, &type))
    return FALSE;
  for (; types->type != 0; types++)
    if (types->type == type)
      return types->fits (data, channels);
  return FALSE;
}

/* Finds the first entry of row's tag. FALSE where what it points to is not what it should be; the
 * entry's tag is 0 where there is none. */
static gboolean
find_tag (ThBytes profile, guint32 n, const TagRow *row, guint channels, Entry *entry)
{
  guint32 tag = 0, offset = 0, size = 0;

  entry->tag = 0;
  for (guint32 i = 0; i < n; i++)
    {
      const gsize at = TABLE_OFFSET + (gsize) i * ENTRY_BYTES;

      th_bytes_u32 (profile, at, TRUE, &tag);
      if (tag != row->tag)
        continue;
      th_bytes_u32 (profile, at + 4, TRUE, &offset);
      th_bytes_u32 (profile, at + 8, TRUE, &size);
      entry->tag = tag;
      return offset >= TABLE_OFFSET && th_bytes_slice (profile, offset, size, &entry->data)
             && data_fit (row->types, entry->data, channels);
    }
  return TRUE;
}

static void
put_u32 (guint8 *out, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (out, &value, sizeof value);
}

static gsize
padded (gsize size)
{
  return (size + 3) & ~(gsize) 3;
}

/* Version, class, space and PCS are the profile's, the rest of the header is what it always is. */
static void
write_header (guint8 *out, ThBytes profile, gsize size, guint n)
{
  put_u32 (out, (guint32) size);
  out[8] = profile.data[8];
  out[9] = profile.data[9];
  memcpy (out + 12, profile.data + 12, 12);
  put_u32 (out + 36, SIGNATURE ('a', 'c', 's', 'p'));
  put_u32 (out + 68, 0xf6d6); /* D50 */
  put_u32 (out + 72, 0x10000);
  put_u32 (out + 76, 0xd32d);
  put_u32 (out + HEADER_BYTES, n);
}

static guint8 *
write_profile (ThBytes profile, const Entry *entries, guint n, gsize *size)
{
  gsize total = TABLE_OFFSET + (gsize) n * ENTRY_BYTES, at = total;
  guint8 *out;

  /* At most as many times the limit as there are tags. */
  for (guint i = 0; i < n; i++)
    total += padded (entries[i].data.size);
  if (n == 0 || total > TH_ICC_MAX_BYTES)
    return NULL;
  *size = total;
  out = g_try_malloc0 (total);
  if (out == NULL)
    return NULL;
  write_header (out, profile, total, n);
  for (guint i = 0; i < n; i++)
    {
      guint8 *row = out + TABLE_OFFSET + (gsize) i * ENTRY_BYTES;

      put_u32 (row, entries[i].tag);
      put_u32 (row + 4, (guint32) at);
      put_u32 (row + 8, (guint32) entries[i].data.size);
      memcpy (out + at, entries[i].data.data, entries[i].data.size);
      at += padded (entries[i].data.size);
    }
  return out;
}

guint8 *
th_icc_distil (ThBytes profile, ThColorModel model, gsize *size)
{
  Entry entries[G_N_ELEMENTS (tag_rows)];
  guint n_found = 0;
  guint32 n;

  *size = 0;
  if (!check_header (profile, model, &profile) || !th_bytes_u32 (profile, HEADER_BYTES, TRUE, &n)
      || n > TAGS_MAX || TABLE_OFFSET + (gsize) n * ENTRY_BYTES > profile.size)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (tag_rows); i++)
    {
      if (!find_tag (profile, n, &tag_rows[i], (guint) model, &entries[n_found]))
        return NULL;
      n_found += entries[n_found].tag != 0 ? 1 : 0;
      /* The array is full only behind the last row. */
      if (n_found == G_N_ELEMENTS (entries))
        break;
    }
  return write_profile (profile, entries, n_found, size);
}
