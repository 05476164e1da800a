/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-coefs.h"

#include <string.h>

#include <jerror.h>

/* Rows and columns that the transform to 2 × 2 samples reads (jidctred.c). */
#define KEPT_ROWS 5
static const guint8 kept_rows[KEPT_ROWS] = { 0, 1, 3, 5, 7 };

/* Positions in a block, row by row, that a scaled transform reads. */
typedef struct
{
  guint64 mask; /* a bit each */
  guint8 count;
} Kept;

/* One sample is the mean. */
static const Kept kept_for_1 = { 1, 1 };
static const Kept kept_for_2 = { G_GUINT64_CONSTANT (0xab00ab00ab00abab), 25 };

/* One component. A row of blocks is stored once something has been written to it; until then it is
 * all 0. Where all is kept, stored holds blocks and window is not used. */
struct jvirt_barray_control
{
  const Kept *kept;   /* NULL: all */
  JDIMENSION width;   /* blocks a row */
  JDIMENSION height;  /* rows of blocks */
  JDIMENSION span;    /* rows that may be looked at together */
  void **stored;      /* a row each, or NULL */
  JBLOCKARRAY window; /* whole blocks of the rows that libjpeg looks at */
  JDIMENSION first;   /* row in the window */
  JDIMENSION loaded;  /* rows in the window */
  gboolean dirty;
};

typedef struct jvirt_barray_control Plane;

/* A stored row: for each block a bit for each dropped coefficient that is not 0; then, for each,
 * the kept ones. */
static gsize
row_bytes (const Plane *plane)
{
  gsize block = plane->kept != NULL ? sizeof (guint64) + plane->kept->count * sizeof (JCOEF)
                                    : sizeof (JBLOCK);

  return plane->width * block;
}

/* Packing costs nothing at 1/8 (memory traffic falls with the memory) and 9 % at 1/4, where it
 * halves the memory; transforms of 4 samples and more read nearly everything. */
static const Kept *
kept_for (const jpeg_component_info *component)
{
  if (component->DCT_scaled_size == 1)
    return &kept_for_1;
  return component->DCT_scaled_size == 2 ? &kept_for_2 : NULL;
}

static void *
store_for (j_common_ptr cinfo, Plane *plane, JDIMENSION row)
{
  if (plane->stored[row] == NULL)
    {
      gsize size = row_bytes (plane);

      plane->stored[row] = cinfo->mem->alloc_large (cinfo, JPOOL_IMAGE, size);
      memset (plane->stored[row], 0, size);
    }
  return plane->stored[row];
}

/* Four samples as the bits 0 to 3, set where one is not 0. */
static guint64
nonzero (const JCOEF *samples)
{
  const guint64 low_bits = G_GUINT64_CONSTANT (0x7fff7fff7fff7fff);
  guint64 x;

  memcpy (&x, samples, sizeof x);
  if (x == 0)
    return 0;
  x = GUINT64_FROM_LE (x);
  x = (((x & low_bits) + low_bits) | x) & ~low_bits;
  /* Bits 15, 31, 47 and 63 become neighbours. */
  return (x >> 15) * G_GUINT64_CONSTANT (0x1000200040008) >> 48 & 0xf;
}

/* Which of the coefficients are not 0, those that are kept left out. */
static guint64
find_others (const Kept *kept, const JCOEF *block)
{
  guint64 others = 0;

  for (guint i = 0; i < DCTSIZE2; i += 4)
    others |= nonzero (block + i) << i;
  return others & ~kept->mask;
}

/* Copies the kept coefficients out of the block and returns which of the others are not 0. */
static guint64
pack_block (const Kept *kept, const JCOEF *block, JCOEF *values)
{
  values[0] = block[0];
  for (guint i = 0; kept == &kept_for_2 && i < KEPT_ROWS; i++, values += KEPT_ROWS)
    {
      const JCOEF *row = block + kept_rows[i] * DCTSIZE;

      for (guint k = 0; k < KEPT_ROWS; k++)
        values[k] = row[kept_rows[k]];
    }
  return find_others (kept, block);
}

static void
unpack_block (const Kept *kept, guint64 others, const JCOEF *values, JCOEF *block)
{
  memset (block, 0, sizeof (JBLOCK));
  block[0] = values[0];
  for (guint i = 0; kept == &kept_for_2 && i < KEPT_ROWS; i++, values += KEPT_ROWS)
    {
      JCOEF *row = block + kept_rows[i] * DCTSIZE;

      for (guint k = 0; k < KEPT_ROWS; k++)
        row[kept_rows[k]] = values[k];
    }
  for (; others != 0; others &= others - 1)
    block[__builtin_ctzll (others)] = 1;
}

static void
store_window (j_common_ptr cinfo, Plane *plane)
{
  for (JDIMENSION row = 0; plane->dirty && row < plane->loaded; row++)
    {
      guint64 *others = store_for (cinfo, plane, plane->first + row);
      JCOEF *values = (JCOEF *) (others + plane->width);

      for (JDIMENSION i = 0; i < plane->width; i++)
        others[i] =
            pack_block (plane->kept, plane->window[row][i], values + i * plane->kept->count);
    }
  plane->dirty = FALSE;
}

static void
load_window (Plane *plane, JDIMENSION first, JDIMENSION rows)
{
  plane->first = first;
  plane->loaded = rows;
  for (JDIMENSION row = 0; row < rows; row++)
    {
      const guint64 *others = plane->stored[first + row];
      const JCOEF *values = others != NULL ? (const JCOEF *) (others + plane->width) : NULL;

      if (others == NULL)
        memset (plane->window[row], 0, plane->width * sizeof (JBLOCK));
      for (JDIMENSION i = 0; others != NULL && i < plane->width; i++)
        unpack_block (plane->kept, others[i], values + i * plane->kept->count,
                      plane->window[row][i]);
    }
}

static JBLOCKARRAY
look (j_common_ptr cinfo, jvirt_barray_ptr plane, JDIMENSION first, JDIMENSION rows,
      boolean writable)
{
  if (rows > plane->span || first > plane->height || rows > plane->height - first)
    ERREXIT (cinfo, JERR_BAD_VIRTUAL_ACCESS);
  if (plane->kept == NULL)
    {
      for (JDIMENSION row = 0; row < rows; row++)
        store_for (cinfo, plane, first + row);
      return (JBLOCKARRAY) (plane->stored + first);
    }
  if (first != plane->first || rows > plane->loaded)
    {
      store_window (cinfo, plane);
      load_window (plane, first, rows);
    }
  plane->dirty = plane->dirty || writable;
  return plane->window;
}

/* The arrays come in the order of the components. */
static jvirt_barray_ptr
request (j_common_ptr common, int pool, boolean zero, JDIMENSION width, JDIMENSION height,
         JDIMENSION span)
{
  struct jpeg_decompress_struct *cinfo = (struct jpeg_decompress_struct *) common;
  ThJpegCoefs *coefs = cinfo->client_data;
  Plane *plane = common->mem->alloc_small (common, JPOOL_IMAGE, sizeof *plane);
  const jpeg_component_info *component;

  if (coefs->components >= cinfo->num_components)
    ERREXIT (cinfo, JERR_BAD_VIRTUAL_ACCESS);
  component = &cinfo->comp_info[coefs->components++];
  *plane = (Plane){
    .kept = kept_for (component),
    .width = width,
    .height = height,
    .span = MIN (span, (JDIMENSION) component->v_samp_factor),
  };
  plane->stored = common->mem->alloc_large (common, JPOOL_IMAGE, height * sizeof (void *));
  memset (plane->stored, 0, height * sizeof (void *));
  if (plane->kept != NULL)
    plane->window = common->mem->alloc_barray (common, JPOOL_IMAGE, width, plane->span);
  return plane;
}

/* Nothing is left to do for these arrays, but for those of other kinds. */
static void
realize (j_common_ptr common)
{
  struct jpeg_decompress_struct *cinfo = (struct jpeg_decompress_struct *) common;
  const ThJpegCoefs *coefs = cinfo->client_data;

  coefs->realize (common);
}

void
th_jpeg_coefs_use (ThJpegCoefs *coefs, struct jpeg_decompress_struct *cinfo)
{
  *coefs = (ThJpegCoefs){ .realize = cinfo->mem->realize_virt_arrays };
  cinfo->client_data = coefs;
  cinfo->mem->request_virt_barray = request;
  cinfo->mem->realize_virt_arrays = realize;
  cinfo->mem->access_virt_barray = look;
}

static guint64
round_up (guint64 value, guint64 step)
{
  return (value + step - 1) / step * step;
}

/* What malloc and libjpeg's own list add to a row; long rows get pages of their own. */
static gsize
row_slack (const Plane *plane)
{
  return row_bytes (plane) < 64 * 1024 ? 64 : 4096 + 64;
}

guint64
th_jpeg_coefs_bytes (const struct jpeg_decompress_struct *cinfo)
{
  guint64 sum = 0;

  for (int i = 0; i < cinfo->num_components; i++)
    {
      const jpeg_component_info *component = &cinfo->comp_info[i];
      guint64 height = round_up (component->height_in_blocks, component->v_samp_factor);
      Plane plane = { .kept = kept_for (component) };

      plane.width = (JDIMENSION) round_up (component->width_in_blocks, component->h_samp_factor);
      sum += height * (row_bytes (&plane) + sizeof (void *) + row_slack (&plane));
      sum += (guint64) plane.width * component->v_samp_factor * sizeof (JBLOCK);
    }
  return sum;
}
