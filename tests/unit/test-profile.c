/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours through profiles. lcms only writes the profiles; what should come out is computed here,
 * in double, from the definitions of the spaces. */
#include "config.h"

#include <lcms2.h>
#include <math.h>
#include <string.h>

#include "core/th-color.h"
#include "core/th-icc-distil.h"

/* Of 255: a matrix in single precision and profiles of 16 bits. */
#define NEAR 1
/* Through a table of profile and one of lcms. */
#define NEAR_TABLE 4

typedef struct
{
  const char *name;
  cmsCIExyY white;
  cmsCIExyYTRIPLE primaries;
  double gamma;
} Space;

static const cmsCIExyY d65 = { 0.3127, 0.3290, 1 };
static const cmsCIExyYTRIPLE srgb_primaries = { { 0.64, 0.33, 1 },
                                                { 0.30, 0.60, 1 },
                                                { 0.15, 0.06, 1 } };

static const Space spaces[] = {
  { "adobe-rgb",
    { 0.3127, 0.3290, 1 },
    { { 0.64, 0.33, 1 }, { 0.21, 0.71, 1 }, { 0.15, 0.06, 1 } },
    563.0 / 256 },
  { "p3",
    { 0.3127, 0.3290, 1 },
    { { 0.68, 0.32, 1 }, { 0.265, 0.69, 1 }, { 0.15, 0.06, 1 } },
    2.2 },
  { "prophoto",
    { 0.3457, 0.3585, 1 },
    { { 0.7347, 0.2653, 1 }, { 0.1596, 0.8404, 1 }, { 0.0366, 0.0001, 1 } },
    1.8 },
  { "linear",
    { 0.3127, 0.3290, 1 },
    { { 0.64, 0.33, 1 }, { 0.30, 0.60, 1 }, { 0.15, 0.06, 1 } },
    1 },
};

/* Closes the profile. */
static GByteArray *
save (cmsHPROFILE profile)
{
  GByteArray *bytes = g_byte_array_new ();
  cmsUInt32Number size = 0;

  g_assert_nonnull (profile);
  g_assert_true (cmsSaveProfileToMem (profile, NULL, &size));
  g_byte_array_set_size (bytes, size);
  g_assert_true (cmsSaveProfileToMem (profile, bytes->data, &size));
  cmsCloseProfile (profile);
  return bytes;
}

static GByteArray *
rgb_profile (const Space *space)
{
  cmsToneCurve *curve = cmsBuildGamma (NULL, space->gamma);
  cmsToneCurve *curves[3] = { curve, curve, curve };
  GByteArray *bytes = save (cmsCreateRGBProfile (&space->white, &space->primaries, curves));

  cmsFreeToneCurve (curve);
  return bytes;
}

static GByteArray *
grey_profile (double gamma)
{
  cmsToneCurve *curve = cmsBuildGamma (NULL, gamma);
  GByteArray *bytes = save (cmsCreateGrayProfile (cmsD50_xyY (), curve));

  cmsFreeToneCurve (curve);
  return bytes;
}

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
expect (const Space *space, const guint8 in[3], double out[3])
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
    .icc = { icc != NULL ? icc->data : NULL, icc != NULL ? icc->len : 0 },
  };

  return th_color_new (&source, cache);
}

static gboolean
is_ignored (ThColorModel model, const guint8 *data, gsize size)
{
  const ThColorSource source = { .model = model, .icc = { data, size } };
  g_autoptr (ThColor) color = th_color_new (&source, NULL);

  return th_color_is_plain (color);
}

static void
check_space (const Space *space, const ThColor *color, guint channels, double near)
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
  const Space *space = data;
  g_autoptr (GByteArray) icc = rgb_profile (space);

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
  const Space *space = data;
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
  g_autoptr (GByteArray) icc = save (cmsCreate_sRGBProfile ());
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
      g_autoptr (GByteArray) icc = grey_profile (gammas[i]);
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
      g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
      g_assert_true (is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
    }
}

/* L* falls with black, a* and b* with the coloured inks: not a press, but a known table. */
static cmsInt32Number
ink_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  cmsCIELab lab = { 100.0 * (1 - in[3] / 65535.0), 0, 0 };

  cmsFloat2LabEncodedV2 (out, &lab);
  return TRUE;
}

static cmsHPROFILE
table_profile (cmsColorSpaceSignature space, cmsUInt32Number channels, cmsSAMPLER16 sampler,
               void *cargo)
{
  cmsHPROFILE profile = cmsCreateProfilePlaceholder (NULL);
  cmsPipeline *pipeline = cmsPipelineAlloc (NULL, channels, 3);
  cmsStage *table = cmsStageAllocCLut16bit (NULL, channels == 4 ? 9 : 33, channels, 3, NULL);

  cmsSetProfileVersion (profile, 2.1);
  cmsSetDeviceClass (profile, channels == 4 ? cmsSigOutputClass : cmsSigInputClass);
  cmsSetColorSpace (profile, space);
  cmsSetPCS (profile, cmsSigLabData);
  g_assert_true (cmsStageSampleCLut16bit (table, sampler, cargo, 0));
  cmsPipelineInsertStage (pipeline, cmsAT_BEGIN, table);
  g_assert_true (cmsWriteTag (profile, cmsSigAToB0Tag, pipeline));
  g_assert_true (cmsWriteTag (profile, cmsSigMediaWhitePointTag, cmsD50_XYZ ()));
  cmsPipelineFree (pipeline);
  return profile;
}

static void
test_cmyk (void)
{
  g_autoptr (GByteArray) icc = save (table_profile (cmsSigCmykData, 4, ink_to_lab, NULL));
  g_autoptr (ThColor) color = color_of (TH_COLOR_CMYK, TRUE, icc, NULL);

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

static cmsInt32Number
space_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  const Space *space = cargo;
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
      save (table_profile (cmsSigRgbData, 3, space_to_lab, (void *) &spaces[0]));

  for (guint channels = 3; channels <= 4; channels++)
    {
      g_autoptr (ThColor) color = color_of (TH_COLOR_RGB, channels == 4, icc, NULL);

      g_assert_false (th_color_is_plain (color));
      for (guint v = 0; v < 256; v += 15)
        {
          /* Within sRGB: where its edge cuts through a cell of a table, both are rough. */
          const guint8 in[4] = { (guint8) (v / 2 + 80), (guint8) (v / 2 + 95),
                                 (guint8) (v / 2 + 60), 5 };
          double wanted[3];
          guint8 out[4];

          expect (&spaces[0], in, wanted);
          th_color_row (color, in, 1, out);
          for (guint c = 0; c < 3; c++)
            g_assert_cmpfloat (fabs (out[c] - wanted[c]), <=, NEAR_TABLE);
        }
    }
}

static void
put (GByteArray *icc, gsize offset, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (icc->data + offset, &value, sizeof value);
}

static guint32
get (const GByteArray *icc, gsize offset)
{
  guint32 value;

  memcpy (&value, icc->data + offset, sizeof value);
  return GUINT32_FROM_BE (value);
}

/* Where tag's entry is. */
static gsize
entry_of (const GByteArray *icc, guint32 tag)
{
  for (guint32 i = 0; i < get (icc, 128); i++)
    if (get (icc, 132 + 12 * i) == tag)
      return 132 + 12 * i;
  g_assert_not_reached ();
}

static void
test_broken_header (void)
{
  static const struct
  {
    gsize offset;
    guint32 value;
  } rows[] = {
    { 0, 100 },          { 0, 0xffffffff },  { 8, 0x05000000 },  { 12, 0x6c696e6b },
    { 12, 0x61627374 },  { 12, 0x6e6d636c }, { 16, 0x434d594b }, { 16, 0x47524159 },
    { 20, 0x52474220 },  { 36, 0 },          { 128, 0 },         { 128, 101 },
    { 128, 0xffffffff },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) icc = rgb_profile (&spaces[0]);

      put (icc, rows[i].offset, rows[i].value);
      g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
    }
}

static void
test_truncated (void)
{
  g_autoptr (GByteArray) icc = rgb_profile (&spaces[0]);

  for (gsize size = 0; size < icc->len; size++)
    {
      g_autofree guint8 *part = g_memdup2 (icc->data, size);

      g_assert_true (is_ignored (TH_COLOR_RGB, part, size));
      /* One that admits it. */
      if (size >= 132)
        {
          const guint32 said = GUINT32_TO_BE ((guint32) size);

          memcpy (part, &said, sizeof said);
          (void) is_ignored (TH_COLOR_RGB, part, size);
        }
    }
}

static void
test_oversized (void)
{
  g_autoptr (GByteArray) icc = rgb_profile (&spaces[0]);
  const gsize size = TH_ICC_MAX_BYTES + 1;
  g_autofree guint8 *large = g_malloc0 (size);

  memcpy (large, icc->data, icc->len);
  g_assert_true (is_ignored (TH_COLOR_RGB, large, size));
  g_assert_false (is_ignored (TH_COLOR_RGB, large, size - 1));
}

/* Tables that claim more than there is, of every side up to 255. */
static void
test_bomb (void)
{
  g_autoptr (GByteArray) icc = save (table_profile (cmsSigCmykData, 4, ink_to_lab, NULL));
  const guint32 offset = get (icc, entry_of (icc, cmsSigAToB0Tag) + 4);

  g_assert_false (is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
  for (guint steps = 0; steps < 256; steps++)
    if (steps < 2 || steps > 9)
      {
        icc->data[offset + 10] = (guint8) steps;
        g_assert_true (is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
      }
}

/* Curves upon the header, the table of tags. */
static void
test_overlaps (void)
{
  g_autoptr (GByteArray) icc = rgb_profile (&spaces[0]);
  const gsize entry = entry_of (icc, cmsSigRedTRCTag);

  put (icc, entry + 4, 128);
  g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, 0);
  g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, icc->len - 4);
  g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, 0xfffffff0);
  g_assert_true (is_ignored (TH_COLOR_RGB, icc->data, icc->len));
}

/* Any byte changed: no crash, no growth, and something comes out. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) rgb = rgb_profile (&spaces[1]);
  g_autoptr (GRand) random = g_rand_new_with_seed (23);

  for (guint i = 0; i < 3000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (rgb->data, rgb->len);
      const ThColorSource source = { .model = TH_COLOR_RGB, .icc = { copy, rgb->len } };
      const guint8 in[3] = { 10, 130, 250 };
      guint8 out[3];

      for (guint k = 0; k < 1 + i % 4; k++)
        copy[g_rand_int_range (random, 0, (gint32) rgb->len)] = (guint8) g_rand_int (random);
      {
        g_autoptr (ThColor) color = th_color_new (&source, NULL);

        g_assert_cmpuint (th_color_bytes (color), <, 16u * 1024 * 1024);
        th_color_row (color, in, 1, out);
      }
    }
}

static void
test_cache (void)
{
  g_autoptr (ThColorCache) cache = th_color_cache_new ();
  g_autoptr (GByteArray) icc = rgb_profile (&spaces[0]);
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
      Space space = spaces[0];
      g_autoptr (GByteArray) one = NULL;

      space.gamma = 1.5 + i / 20.0;
      one = rgb_profile (&space);
      th_color_free (color_of (TH_COLOR_RGB, FALSE, one, cache));
    }
  check_space (&spaces[0], first, 3, NEAR);
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
  for (gsize i = 0; i < G_N_ELEMENTS (spaces); i++)
    {
      g_autofree char *matrix = g_strconcat ("/profile/matrix/", spaces[i].name, NULL);
      g_autofree char *numbers = g_strconcat ("/profile/numbers/", spaces[i].name, NULL);

      g_test_add_data_func (matrix, &spaces[i], test_matrix);
      g_test_add_data_func (numbers, &spaces[i], test_numbers);
    }
  g_test_add_func ("/profile/srgb", test_srgb);
  g_test_add_func ("/profile/grey", test_grey);
  g_test_add_func ("/profile/cmyk", test_cmyk);
  g_test_add_func ("/profile/rgb-table", test_rgb_table);
  g_test_add_func ("/profile/broken-header", test_broken_header);
  g_test_add_func ("/profile/truncated", test_truncated);
  g_test_add_func ("/profile/oversized", test_oversized);
  g_test_add_func ("/profile/bomb", test_bomb);
  g_test_add_func ("/profile/overlaps", test_overlaps);
  g_test_add_func ("/profile/damaged", test_damaged);
  g_test_add_func ("/profile/cache", test_cache);
  g_test_add_func ("/profile/cicp", test_cicp);
  return g_test_run ();
}
