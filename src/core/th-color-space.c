/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-color-space.h"

#include <math.h>

#define D65                                                                                        \
  {                                                                                                \
    0.3127, 0.3290                                                                                 \
  }
/* What a space may consist of to be taken seriously. */
#define DETERMINANT_MIN 1e-4
#define Y_MIN           1e-5 /* the unit of PNG; ProPhoto has a blue of 1e-4 */

typedef struct
{
  guint code;
  ThChroma white, red, green, blue;
} Primaries;

typedef struct
{
  guint code;
  ThTransfer transfer;
  double gamma;
} Transfer;

/* H.273, table 2. */
static const Primaries primaries_rows[] = {
  { 1, D65, { 0.640, 0.330 }, { 0.300, 0.600 }, { 0.150, 0.060 } },
  { 4, { 0.310, 0.316 }, { 0.67, 0.33 }, { 0.21, 0.71 }, { 0.14, 0.08 } },
  { 5, D65, { 0.64, 0.33 }, { 0.29, 0.60 }, { 0.15, 0.06 } },
  { 6, D65, { 0.630, 0.340 }, { 0.310, 0.595 }, { 0.155, 0.070 } },
  { 7, D65, { 0.630, 0.340 }, { 0.310, 0.595 }, { 0.155, 0.070 } },
  { 8, { 0.310, 0.316 }, { 0.681, 0.319 }, { 0.243, 0.692 }, { 0.145, 0.049 } },
  { 9, D65, { 0.708, 0.292 }, { 0.170, 0.797 }, { 0.131, 0.046 } },
  { 11, { 0.314, 0.351 }, { 0.680, 0.320 }, { 0.265, 0.690 }, { 0.150, 0.060 } },
  { 12, D65, { 0.680, 0.320 }, { 0.265, 0.690 }, { 0.150, 0.060 } },
  { 22, D65, { 0.630, 0.340 }, { 0.295, 0.605 }, { 0.155, 0.077 } },
};

/* H.273, table 3. */
static const Transfer transfer_rows[] = {
  { 1, TH_TRANSFER_SRGB, 0 },     { 4, TH_TRANSFER_GAMMA, 2.2 }, { 5, TH_TRANSFER_GAMMA, 2.8 },
  { 6, TH_TRANSFER_SRGB, 0 },     { 8, TH_TRANSFER_GAMMA, 1 },   { 13, TH_TRANSFER_SRGB, 0 },
  { 14, TH_TRANSFER_SRGB, 0 },    { 15, TH_TRANSFER_SRGB, 0 },   { 16, TH_TRANSFER_PQ, 0 },
  { 17, TH_TRANSFER_GAMMA, 2.6 }, { 18, TH_TRANSFER_HLG, 0 },
};

static const Primaries *
find_primaries (guint code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (primaries_rows); i++)
    if (primaries_rows[i].code == code)
      return &primaries_rows[i];
  return NULL;
}

static const Transfer *
find_transfer (guint code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (transfer_rows); i++)
    if (transfer_rows[i].code == code)
      return &transfer_rows[i];
  return NULL;
}

static ThColorSpace
make (const Primaries *primaries, ThTransfer transfer, double gamma)
{
  return (ThColorSpace){
    .given = TRUE,
    .transfer = transfer,
    .gamma = gamma,
    .white = primaries->white,
    .red = primaries->red,
    .green = primaries->green,
    .blue = primaries->blue,
  };
}

ThColorSpace
th_color_space_plain (ThTransfer transfer, double gamma)
{
  return make (&primaries_rows[0], transfer, gamma);
}

ThColorSpace
th_color_space_adobe_rgb (void)
{
  ThColorSpace space = th_color_space_plain (TH_TRANSFER_GAMMA, 563.0 / 256);

  space.green = (ThChroma){ 0.21, 0.71 };
  return space;
}

gboolean
th_color_space_from_cicp (guint primaries, guint transfer, gboolean full_range, ThColorSpace *space)
{
  const Primaries *p = find_primaries (primaries);
  const Transfer *t = find_transfer (transfer);

  if (p == NULL || t == NULL)
    return FALSE;
  *space = make (p, t->transfer, t->gamma);
  space->narrow = !full_range;
  return TRUE;
}

double
th_color_space_to_linear (const ThColorSpace *space, double code)
{
  if (space->narrow)
    code = (code * 255 - 16) / (235 - 16);
  code = CLAMP (code, 0, 1);
  code = th_transfer_to_linear (space->transfer, space->gamma, code);
  return CLAMP (code, 0, 1);
}

ThMatrix
th_matrix_multiply (const ThMatrix *a, const ThMatrix *b)
{
  ThMatrix product;

  for (guint i = 0; i < 9; i++)
    {
      const double *row = a->m + i / 3 * 3, *column = b->m + i % 3;

      product.m[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
  return product;
}

static gboolean
invert (const ThMatrix *a, ThMatrix *inverse)
{
  const double *m = a->m;
  const double cofactors[9] = {
    m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
    m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
    m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
  };
  const double determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6];

  if (!(fabs (determinant) >= DETERMINANT_MIN))
    return FALSE;
  for (guint i = 0; i < 9; i++)
    inverse->m[i] = cofactors[i] / determinant;
  return TRUE;
}

/* m × v */
static void
apply (const ThMatrix *matrix, const double v[3], double out[3])
{
  for (guint i = 0; i < 3; i++)
    out[i] = matrix->m[3 * i] * v[0] + matrix->m[3 * i + 1] * v[1] + matrix->m[3 * i + 2] * v[2];
}

/* Columns scaled by v. */
static ThMatrix
scale_columns (const ThMatrix *matrix, const double v[3])
{
  ThMatrix scaled;

  for (guint i = 0; i < 9; i++)
    scaled.m[i] = matrix->m[i] * v[i % 3];
  return scaled;
}

static void
chroma_to_xyz (ThChroma chroma, double xyz[3])
{
  xyz[0] = chroma.x / chroma.y;
  xyz[1] = 1;
  xyz[2] = (1 - chroma.x - chroma.y) / chroma.y;
}

/* Bradford's, from white to D50. */
static gboolean
adaptation (const double white[3], ThMatrix *matrix)
{
  static const ThMatrix cones = {
    { 0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296 },
  };
  static const double d50[3] = { 0.9642, 1.0, 0.8249 };
  double from[3], to[3], ratio[3];
  ThMatrix back;

  apply (&cones, white, from);
  apply (&cones, d50, to);
  for (guint i = 0; i < 3; i++)
    {
      if (!(from[i] >= Y_MIN))
        return FALSE;
      ratio[i] = to[i] / from[i];
    }
  if (!invert (&cones, &back))
    return FALSE;
  back = scale_columns (&back, ratio);
  *matrix = th_matrix_multiply (&back, &cones);
  return TRUE;
}

static gboolean
is_color (ThChroma chroma)
{
  return chroma.x >= 0 && chroma.x <= 1 && chroma.y >= Y_MIN && chroma.y <= 1;
}

gboolean
th_color_space_to_xyz (const ThColorSpace *space, ThMatrix *matrix)
{
  const ThChroma chromas[3] = { space->red, space->green, space->blue };
  double white[3], shares[3];
  ThMatrix columns, inverse, adapt;

  if (!is_color (space->white))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      double xyz[3];

      if (!is_color (chromas[i]))
        return FALSE;
      chroma_to_xyz (chromas[i], xyz);
      for (guint k = 0; k < 3; k++)
        columns.m[3 * k + i] = xyz[k];
    }
  chroma_to_xyz (space->white, white);
  if (!invert (&columns, &inverse) || !adaptation (white, &adapt))
    return FALSE;
  apply (&inverse, white, shares);
  columns = scale_columns (&columns, shares);
  *matrix = th_matrix_multiply (&adapt, &columns);
  return TRUE;
}

ThMatrix
th_color_space_srgb_from_xyz (void)
{
  const ThColorSpace srgb = th_color_space_plain (TH_TRANSFER_SRGB, 0);
  ThMatrix matrix, inverse = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

  if (th_color_space_to_xyz (&srgb, &matrix))
    invert (&matrix, &inverse);
  return inverse;
}
