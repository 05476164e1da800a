/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours through profiles. lcms only writes the profiles; what should come out is computed here,
 * in double, from the definitions of the profile_spaces. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/th-color.h"
#include "profile-maker.h"

/* Of 255: a matrix in single precision and profiles of 16 bits. */
#define NEAR 1
/* Through a table of profile and one of lcms. */
#define NEAR_TABLE 4

static const cmsCIExyY d65 = { 0.3127, 0.3290, 1 };
static const cmsCIExyYTRIPLE srgb_primaries = { { 0.64, 0.33, 1 },
                                                { 0.30, 0.60, 1 },
                                                { 0.15, 0.06, 1 } };

static void
solve (double m[3][3], const double v[3], double out[3])
{
  const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
                     - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                     + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);

  for (int c = 0; c < 3; c++)
    {
      double a[3][3];

      memcpy (a, m, sizeof a);
      for (int r = 0; r < 3; r++)
        a[r][c] = v[r];
      out[c] = (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
                - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))
               / det;
    }
}

static void
xyz_of (const cmsCIExyY *xy, double xyz[3])
{
  xyz[0] = xy->x / xy->y;
  xyz[1] = 1;
  xyz[2] = (1 - xy->x - xy->y) / xy->y;
}

/* Columns: XYZ of the primaries at the white's luminance shares. */
static void
space_matrix (const cmsCIExyY *white, const cmsCIExyYTRIPLE *primaries, double m[3][3])
{
  const cmsCIExyY *xy[3] = { &primaries->Red, &primaries->Green, &primaries->Blue };
  double columns[3][3], w[3], shares[3];

  for (int c = 0; c < 3; c++)
    {
      double xyz[3];

      xyz_of (xy[c], xyz);
      for (int r = 0; r < 3; r++)
        columns[r][c] = xyz[r];
    }
  xyz_of (white, w);
  solve (columns, w, shares);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      m[r][c] = columns[r][c] * shares[c];
}

static void
times (double m[3][3], const double v[3], double out[3])
{
  for (int r = 0; r < 3; r++)
    out[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
}

/* Bradford from one white to another. */
static void
adapt (const cmsCIExyY *from, const cmsCIExyY *to, double xyz[3])
{
  double cones[3][3] = { { 0.8951, 0.2664, -0.1614 },
                         { -0.7502, 1.7135, 0.0367 },
                         { 0.0389, -0.0685, 1.0296 } };
  double a[3], b[3], v[3], w[3];

  xyz_of (from, w);
  times (cones, w, a);
  xyz_of (to, w);
  times (cones, w, b);
  times (cones, xyz, v);
  for (int i = 0; i < 3; i++)
    v[i] *= b[i] / a[i];
  solve (cones, v, xyz);
}

static double
srgb_code (double light)
{
  light = CLAMP (light, 0, 1);
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow (light, 1 / 2.4) - 0.055);
}

static void
expect (const ProfileSpace *space, const guint8 in[3], double out[3])
{
  double from[3][3], to[3][3], light[3], xyz[3];

  space_matrix (&space->white, &space->primaries, from);
  space_matrix (&d65, &srgb_primaries, to);
  for (int i = 0; i < 3; i++)
    light[i] = pow (in[i] / 255.0, space->gamma);
  times (from, light, xyz);
  adapt (&space->white, &d65, xyz);
  solve (to, xyz, light);
  for (int i = 0; i < 3; i++)
    out[i] = srgb_code (light[i]);
}

static ThColor *
color_of (ThColorModel model, gboolean has_alpha, const GByteArray *icc, ThColorCache *cache)
{
  const ThColorSource source = {
    .model = model,
    .has_alpha = has_alpha,
    .icc = { icc->data, icc->len },
  };

  return th_color_new (&source, cache);
}

/* Tables are followed in one way for few pixels and in another for many. */
static ThColor *
color_for (ThColorModel model, gboolean has_alpha, const GByteArray *icc, gboolean many)
{
  const ThColorSource source = {
    .model = model,
    .has_alpha = has_alpha,
    .icc = { icc->data, icc->len },
    .pixels = many ? 1000000 : 1,
  };

  return th_color_new (&source, NULL);
}

static void
check_space (const ProfileSpace *space, const ThColor *color, guint channels, double near)
{
  for (guint i = 0; i < 6 * 6 * 6; i++)
    {
      const guint8 in[4] = { (guint8) (i % 6 * 51), (guint8) (i / 6 % 6 * 51),
                             (guint8) (i / 36 * 51), (guint8) i };
      double wanted[3];
      guint8 out[4] = { 0 };

      expect (space, in, wanted);
      th_color_row (color, in, 1, out);
      for (guint c = 0; c < 3; c++)
        g_assert_cmpfloat (fabs (out[c] - wanted[c]), <=, near + 0.5);
      if (channels == 4)
        g_assert_cmpuint (out[3], ==, in[3]);
    }
}

static void
test_matrix (gconstpointer data)
{
  const ProfileSpace *space = data;
  g_autoptr (GByteArray) icc = profile_rgb (space);

  for (guint channels = 3; channels <= 4; channels++)
    {
      g_autoptr (ThColor) color = color_of (TH_COLOR_RGB, channels == 4, icc, NULL);

      g_assert_false (th_color_is_plain (color));
      check_space (space, color, channels, NEAR);
    }
}

static void
test_numbers (gconstpointer data)
{
  const ProfileSpace *space = data;
  ThColorSource source = {
    .model = TH_COLOR_RGB,
    .space = { .given = TRUE, .transfer = TH_TRANSFER_GAMMA, .gamma = space->gamma }
  };
  g_autoptr (ThColor) color = NULL;

  source.space.white = (ThChroma){ space->white.x, space->white.y };
  source.space.red = (ThChroma){ space->primaries.Red.x, space->primaries.Red.y };
  source.space.green = (ThChroma){ space->primaries.Green.x, space->primaries.Green.y };
  source.space.blue = (ThChroma){ space->primaries.Blue.x, space->primaries.Blue.y };
  color = th_color_new (&source, NULL);
  check_space (space, color, 3, NEAR);
}

static void
test_srgb (void)
{
  g_autoptr (GByteArray) icc = profile_save (cmsCreate_sRGBProfile ());
  g_autoptr (ThColor) color = color_of (TH_COLOR_RGB, FALSE, icc, NULL);

  g_assert_true (th_color_is_plain (color));
  g_assert_cmpuint (th_color_bytes (color), <, 256);
}

static void
test_grey (void)
{
  static const double gammas[] = { 1.0, 1.8, 2.4 };

  for (gsize i = 0; i < G_N_ELEMENTS (gammas); i++)
    {
      g_autoptr (GByteArray) icc = profile_grey (gammas[i]);
      g_autoptr (ThColor) color = color_of (TH_COLOR_GREY, TRUE, icc, NULL);

      g_assert_false (th_color_is_plain (color));
      for (guint v = 0; v < 256; v++)
        {
          const guint8 in[2] = { (guint8) v, (guint8) (255 - v) };
          const double wanted = srgb_code (pow (v / 255.0, gammas[i]));
          guint8 out[4];

          th_color_row (color, in, 1, out);
          for (guint c = 0; c < 3; c++)
            g_assert_cmpfloat (fabs (out[c] - wanted), <=, NEAR + 0.5);
          g_assert_cmpuint (out[3], ==, in[1]);
        }
      g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
      g_assert_true (profile_is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
    }
}

static void
check_cmyk (gboolean many)
{
  g_autoptr (GByteArray) icc =
      profile_save (profile_table (cmsSigCmykData, 4, profile_ink_to_lab, NULL));
  g_autoptr (ThColor) color = color_for (TH_COLOR_CMYK, TRUE, icc, many);

  g_assert_false (th_color_is_plain (color));
  for (guint k = 0; k < 256; k++)
    {
      const guint8 in[5] = { 90, 0, 200, (guint8) k, 17 };
      const double l = 100 * (1 - k / 255.0);
      const double y = l > 8 ? pow ((l + 16) / 116, 3) : l / 903.3;
      guint8 out[4];

      th_color_row (color, in, 1, out);
      for (guint c = 0; c < 3; c++)
        g_assert_cmpfloat (fabs (out[c] - srgb_code (y)), <=, NEAR_TABLE);
      g_assert_cmpuint (out[3], ==, 17);
    }
}

static void
test_cmyk (void)
{
  check_cmyk (FALSE);
  check_cmyk (TRUE);
}

static cmsInt32Number
space_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  const ProfileSpace *space = cargo;
  double m[3][3], light[3], v[3];
  cmsCIEXYZ xyz;
  cmsCIELab lab;

  space_matrix (&space->white, &space->primaries, m);
  for (int i = 0; i < 3; i++)
    light[i] = pow (in[i] / 65535.0, space->gamma);
  times (m, light, v);
  adapt (&space->white, cmsD50_xyY (), v);
  xyz = (cmsCIEXYZ){ v[0], v[1], v[2] };
  cmsXYZ2Lab (NULL, &lab, &xyz);
  cmsFloat2LabEncodedV2 (out, &lab);
  return TRUE;
}

static void
test_rgb_table (void)
{
  g_autoptr (GByteArray) icc =
      profile_save (profile_table (cmsSigRgbData, 3, space_to_lab, (void *) &profile_spaces[0]));

  for (guint i = 0; i < 4; i++)
    {
      const guint channels = 3 + i % 2;
      g_autoptr (ThColor) color = color_for (TH_COLOR_RGB, channels == 4, icc, i / 2 == 1);

      g_assert_false (th_color_is_plain (color));
      for (guint v = 0; v < 256; v += 15)
        {
          /* Within sRGB: where its edge cuts through a cell of a table, both are rough. */
          const guint8 in[4] = { (guint8) (v / 2 + 80), (guint8) (v / 2 + 95),
                                 (guint8) (v / 2 + 60), 5 };
          double wanted[3];
          guint8 out[4];

          expect (&profile_spaces[0], in, wanted);
          th_color_row (color, in, 1, out);
          for (guint c = 0; c < 3; c++)
            g_assert_cmpfloat (fabs (out[c] - wanted[c]), <=, NEAR_TABLE);
        }
    }
}

static void
test_cache (void)
{
  g_autoptr (ThColorCache) cache = th_color_cache_new ();
  g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[0]);
  ThColor *first = color_of (TH_COLOR_RGB, FALSE, icc, cache);
  ThColor *again = color_of (TH_COLOR_RGB, FALSE, icc, cache);
  ThColor *other = color_of (TH_COLOR_RGB, TRUE, icc, cache);

  g_assert_true (first == again);
  g_assert_true (first != other);
  th_color_free (again);
  th_color_free (other);
  /* More than fit, while the first is still in use. */
  for (guint i = 0; i < 20; i++)
    {
      ProfileSpace space = profile_spaces[0];
      g_autoptr (GByteArray) one = NULL;

      space.gamma = 1.5 + i / 20.0;
      one = profile_rgb (&space);
      th_color_free (color_of (TH_COLOR_RGB, FALSE, one, cache));
    }
  check_space (&profile_spaces[0], first, 3, NEAR);
  again = color_of (TH_COLOR_RGB, FALSE, icc, cache);
  g_assert_true (first != again);
  th_color_free (again);
  th_color_free (first);
}

/* Every CICP point that is known, and the two of high dynamic range: rising, from black to white.
 */
static void
test_cicp (void)
{
  static const guint transfers[] = { 16, 18 };
  ThColorSource source = { .model = TH_COLOR_GREY };

  g_assert_false (th_color_space_from_cicp (2, 13, TRUE, &source.space));
  g_assert_false (th_color_space_from_cicp (1, 2, TRUE, &source.space));
  g_assert_false (source.space.given);
  for (gsize i = 0; i < G_N_ELEMENTS (transfers); i++)
    {
      g_autoptr (ThColor) color = NULL;
      guint8 last[3] = { 0 };

      g_assert_true (th_color_space_from_cicp (9, transfers[i], TRUE, &source.space));
      color = th_color_new (&source, NULL);
      for (guint v = 0; v < 256; v++)
        {
          const guint8 in = (guint8) v;
          guint8 out[3];

          th_color_row (color, &in, 1, out);
          g_assert_cmpuint (out[0], >=, last[0]);
          g_assert_true (v > 0 || out[0] == 0);
          memcpy (last, out, 3);
        }
      g_assert_cmpuint (last[0], ==, 255);
    }
  g_assert_true (th_color_space_from_cicp (1, 1, TRUE, &source.space));
  source.model = TH_COLOR_RGB;
  {
    g_autoptr (ThColor) color = th_color_new (&source, NULL);

    g_assert_true (th_color_is_plain (color));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < N_PROFILE_SPACES; i++)
    {
      g_autofree char *matrix = g_strconcat ("/profile/matrix/", profile_spaces[i].name, NULL);
      g_autofree char *numbers = g_strconcat ("/profile/numbers/", profile_spaces[i].name, NULL);

      g_test_add_data_func (matrix, &profile_spaces[i], test_matrix);
      g_test_add_data_func (numbers, &profile_spaces[i], test_numbers);
    }
  g_test_add_func ("/profile/srgb", test_srgb);
  g_test_add_func ("/profile/grey", test_grey);
  g_test_add_func ("/profile/cmyk", test_cmyk);
  g_test_add_func ("/profile/rgb-table", test_rgb_table);
  g_test_add_func ("/profile/cache", test_cache);
  g_test_add_func ("/profile/cicp", test_cicp);
  return g_test_run ();
}
