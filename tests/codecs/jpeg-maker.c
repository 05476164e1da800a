/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "jpeg-maker.h"

#include <stdlib.h>
#include <string.h>

#define QUALITY 85

/* Light, shapes with hard edges and seeded noise, so that every coefficient is used. */
static guint8
sample (const JpegRecipe *recipe, GRand *rand, guint x, guint y, guint channel)
{
  guint shape = (x / 9 + y / 7 * 3 + channel * 5) % 4 * 30;
  guint light = (x * 90 / recipe->width + y * 50 / recipe->height) % 140;

  if (recipe->paint != NULL)
    return recipe->paint ((x + 0.5) / recipe->width, (y + 0.5) / recipe->height, channel,
                          recipe->data);
  if (recipe->flat)
    return (guint8) (200 - 60 * channel);
  return (guint8) (shape + light + (guint) g_rand_int_range (rand, 0, 24));
}

static void
write_rows (struct jpeg_compress_struct *cinfo, const JpegRecipe *recipe)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  guint channels = (guint) cinfo->input_components;
  g_autofree guint8 *row = g_malloc ((gsize) recipe->width * channels);

  for (guint y = 0; y < recipe->height; y++)
    {
      for (guint i = 0; i < recipe->width * channels; i++)
        row[i] = sample (recipe, rand, i / channels, y, i % channels);
      jpeg_write_scanlines (cinfo, (JSAMPARRAY) &row, 1);
    }
}

static J_COLOR_SPACE
input_space (J_COLOR_SPACE stored)
{
  if (stored == JCS_GRAYSCALE)
    return JCS_GRAYSCALE;
  return stored == JCS_CMYK || stored == JCS_YCCK ? JCS_CMYK : JCS_RGB;
}

static void
configure (struct jpeg_compress_struct *cinfo, const JpegRecipe *recipe, jpeg_scan_info *scans)
{
  cinfo->in_color_space = input_space (recipe->stored);
  cinfo->input_components = cinfo->in_color_space == JCS_GRAYSCALE ? 1
                            : cinfo->in_color_space == JCS_RGB     ? 3
                                                                   : 4;
  jpeg_set_defaults (cinfo);
  jpeg_set_colorspace (cinfo, recipe->stored);
  jpeg_set_quality (cinfo, QUALITY, TRUE);
  cinfo->comp_info[0].h_samp_factor = (int) MAX (recipe->h, 1);
  cinfo->comp_info[0].v_samp_factor = (int) MAX (recipe->v, 1);
  for (int i = 1; i < cinfo->num_components; i++)
    {
      gboolean black = i == 3;

      cinfo->comp_info[i].h_samp_factor = black ? (int) MAX (recipe->h, 1) : 1;
      cinfo->comp_info[i].v_samp_factor = black ? (int) MAX (recipe->v, 1) : 1;
      scans[i] = (jpeg_scan_info){ 1, { i }, 0, DCTSIZE2 - 1, 0, 0 };
    }
  scans[0] = (jpeg_scan_info){ 1, { 0 }, 0, DCTSIZE2 - 1, 0, 0 };
  cinfo->arith_code = recipe->arithmetic;
  cinfo->restart_in_rows = (int) recipe->restart;
  if (recipe->progressive)
    jpeg_simple_progression (cinfo);
  if (recipe->separate)
    {
      cinfo->scan_info = scans;
      cinfo->num_scans = cinfo->num_components;
    }
  if (recipe->no_adobe)
    cinfo->write_Adobe_marker = FALSE;
  if (recipe->no_jfif)
    cinfo->write_JFIF_header = FALSE;
}

static void
insert_exif (GByteArray *jpeg, guint8 orientation, gboolean big_endian)
{
  guint8 little[] = { 'E',  'x', 'i', 'f', 0, 0, 'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0,
                      0x12, 1,   3,   0,   1, 0, 0,   0,   0,   0, 0, 0, 0, 0, 0, 0 };
  guint8 big[] = { 'E', 'x',  'i', 'f', 0, 0, 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1,
                   1,   0x12, 0,   3,   0, 0, 0,   1,   0, 0,   0, 0, 0, 0, 0, 0 };

  little[24] = orientation;
  big[25] = orientation;
  jpeg_insert_segment (jpeg, 0xe1, big_endian ? big : little, sizeof little);
}

GByteArray *
jpeg_make (const JpegRecipe *recipe)
{
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  jpeg_scan_info scans[4];
  unsigned char *data = NULL;
  unsigned long size = 0;
  GByteArray *jpeg = g_byte_array_new ();

  cinfo.err = jpeg_std_error (&errors);
  jpeg_create_compress (&cinfo);
  jpeg_mem_dest (&cinfo, &data, &size);
  cinfo.image_width = recipe->width;
  cinfo.image_height = recipe->height;
  configure (&cinfo, recipe, scans);
  jpeg_start_compress (&cinfo, TRUE);
  write_rows (&cinfo, recipe);
  jpeg_finish_compress (&cinfo);
  jpeg_destroy_compress (&cinfo);
  g_byte_array_append (jpeg, data, (guint) size);
  free (data);
  if (recipe->orientation != 0)
    insert_exif (jpeg, (guint8) recipe->orientation, recipe->big_endian);
  return jpeg;
}

void
jpeg_insert_segment (GByteArray *jpeg, guint8 marker, const void *content, guint16 size)
{
  guint8 head[4] = { 0xff, marker, (guint8) ((size + 2) >> 8), (guint8) (size + 2) };
  g_autofree guint8 *rest = g_memdup2 (jpeg->data + 2, jpeg->len - 2);
  guint left = jpeg->len - 2;

  g_byte_array_set_size (jpeg, 2);
  g_byte_array_append (jpeg, head, sizeof head);
  g_byte_array_append (jpeg, content, size);
  g_byte_array_append (jpeg, rest, left);
}
