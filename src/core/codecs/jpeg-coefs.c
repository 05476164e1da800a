/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-coefs.h"

#include <string.h>

#include <jerror.h>

#define KEPT_MAX 25

/* Positions in a block, row by row, that a scaled transform reads. */
typedef struct
{
  guint8 count;
  guint8 at[KEPT_MAX];
} Kept;

/* jidctred.c: one sample is the mean; two come from rows and columns 0, 1, 3, 5 and 7. */
static const Kept kept_for_1 = { 1, { 0 } };
static const Kept kept_for_2 = { 25, { 0,  1,  3,  5,  7,  8,  9,  11, 13, 15, 24, 25, 27,
                                       29, 31, 40, 41, 43, 45, 47, 56, 57, 59, 61, 63 } };

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

/* Moves the kept coefficients out of the block and returns which of the others are not 0. */
static guint64
pack_block (const Kept *kept, JCOEF *block, JCOEF *values)
{
  guint64 others = 0;

  for (guint i = 0; i < kept->count; i++)
    {
      values[i] = block[kept->at[i]];
      block[kept->at[i]] = 0;
    }
  for (guint row = 0; row < DCTSIZE; row++)
    {
      guint64 halves[2];

      memcpy (halves, block + row * DCTSIZE, sizeof halves);
      if ((halves[0] | halves[1]) == 0)
        continue;
      for (guint i = row * DCTSIZE; i < (row + 1) * DCTSIZE; i++)
        others |= (guint64) (block[i] != 0) << i;
    }
  return others;
}

static void
unpack_block (const Kept *kept, guint64 others, const JCOEF *values, JCOEF *block)
{
  memset (block, 0, sizeof (JBLOCK));
  for (guint i = 0; i < kept->count; i++)
    block[kept->at[i]] = values[i];
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
