/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours from file to thumbnail: every container that brings a profile, compared with lcms in
 * floating point; which of several statements counts; profiles that are no use. */
#include "config.h"

#include <string.h>

#include "../unit/profile-maker.h"
#include "color-chart.h"
#include "jpeg-maker.h"
#include "png-maker.h"

/* CIEDE2000: from about 1 two colours beside each other differ. Ours are 8 bits and JPEG's samples
 * are one off. */
#define WORST      0.75
#define MEAN       0.25
#define WORST_JPEG 2.0
#define MEAN_JPEG  0.35

static const char *const containers[] = { "png", "webp", "jpeg" };

static void
assert_near (ColorDifference difference, ChartContainer container, const char *name)
{
  g_test_message ("%s in %s: worst %.2f, mean %.3f", name, containers[container], difference.worst,
                  difference.mean);
  g_assert_cmpfloat (difference.worst, <=, container == CHART_JPEG ? WORST_JPEG : WORST);
  g_assert_cmpfloat (difference.mean, <=, container == CHART_JPEG ? MEAN_JPEG : MEAN);
}

static void
check_profile (const char *name, ThColorModel model, ThBytes icc)
{
  for (guint i = 0; i < G_N_ELEMENTS (containers); i++)
    {
      const ChartContainer container = (ChartContainer) i;
      g_autoptr (GByteArray) file = NULL;
      ChartColors colors;

      if (model == TH_COLOR_CMYK && container != CHART_JPEG)
        continue;
      /* WebP has no grey: a grey profile there is one of other colours. */
      if (model == TH_COLOR_GREY && container == CHART_WEBP)
        continue;
      file = chart_make (container, model, icc);
      chart_render (file, &colors);
      assert_near (chart_compare (&colors, model, icc), container, name);
    }
}

static ThBytes
bytes_of (const GByteArray *array)
{
  return (ThBytes){ array->data, array->len };
}

static void
test_matrix (gconstpointer data)
{
  const ProfileSpace *space = data;
  g_autoptr (GByteArray) icc = profile_rgb (space);

  check_profile (space->name, TH_COLOR_RGB, bytes_of (icc));
}

static void
test_grey (void)
{
  static const double gammas[] = { 1.0, 1.8, 2.6 };

  for (gsize i = 0; i < G_N_ELEMENTS (gammas); i++)
    {
      g_autoptr (GByteArray) icc = profile_grey (gammas[i]);

      check_profile ("grey", TH_COLOR_GREY, bytes_of (icc));
    }
}

static cmsInt32Number
rgb_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  const double r = in[0] / 65535.0, g = in[1] / 65535.0, b = in[2] / 65535.0;
  cmsCIELab lab = { 100 * (0.3 * r + 0.6 * g + 0.1 * b), 50 * (r - g), 40 * ((r + g) / 2 - b) };

  cmsFloat2LabEncodedV2 (out, &lab);
  return TRUE;
}

static cmsInt32Number
cmyk_to_lab (const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo)
{
  const double k = 1 - 0.9 * in[3] / 65535.0;
  const double r = 1 - 0.95 * in[0] / 65535.0, g = 1 - 0.85 * in[1] / 65535.0;
  const double b = 1 - 0.9 * in[2] / 65535.0;
  cmsCIELab lab = { 95 * k * (0.3 * r + 0.6 * g + 0.1 * b), 45 * k * (r - g),
                    40 * k * ((r + g) / 2 - b) };

  cmsFloat2LabEncodedV2 (out, &lab);
  return TRUE;
}

static void
test_tables (void)
{
  g_autoptr (GByteArray) rgb = profile_save (profile_table (cmsSigRgbData, 3, rgb_to_lab, NULL));
  g_autoptr (GByteArray) cmyk = profile_save (profile_table (cmsSigCmykData, 4, cmyk_to_lab, NULL));

  /* A table is larger than a segment of JPEG. */
  g_assert_cmpuint (rgb->len, >, 2 * 65536);
  check_profile ("rgb table", TH_COLOR_RGB, bytes_of (rgb));
  check_profile ("cmyk table", TH_COLOR_CMYK, bytes_of (cmyk));
}

/* Profiles of other makers, where they are installed. */
static void
test_installed (gconstpointer data)
{
  static const struct
  {
    const char *name;
    ThColorModel model;
  } rows[] = {
    { "a98.icc", TH_COLOR_RGB },      { "rommrgb.icc", TH_COLOR_RGB },
    { "esrgb.icc", TH_COLOR_RGB },    { "scrgb.icc", TH_COLOR_RGB },
    { "ps_gray.icc", TH_COLOR_GREY }, { "default_cmyk.icc", TH_COLOR_CMYK },
    { "ps_cmyk.icc", TH_COLOR_CMYK },
  };
  guint missing = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path =
          g_build_filename ("/usr/share/color/icc/ghostscript", rows[i].name, NULL);
      g_autofree char *content = NULL;
      gsize size;

      if (g_file_get_contents (path, &content, &size, NULL))
        check_profile (rows[i].name, rows[i].model, (ThBytes){ (guint8 *) content, size });
      else
        missing++;
    }
  if (missing == G_N_ELEMENTS (rows))
    g_test_skip ("profiles of libgs-common are not installed");
}

/* What says sRGB leaves every sample alone and takes no memory but the profile's. */
static void
test_srgb (void)
{
  g_autoptr (GByteArray) icc = profile_save (cmsCreate_sRGBProfile ());

  for (guint i = 0; i < G_N_ELEMENTS (containers); i++)
    {
      const ChartContainer container = (ChartContainer) i;
      g_autoptr (GByteArray) plain = chart_make (container, TH_COLOR_RGB, (ThBytes){ NULL, 0 });
      g_autoptr (GByteArray) told = chart_make (container, TH_COLOR_RGB, bytes_of (icc));
      ChartColors a, b;

      chart_render (plain, &a);
      chart_render (told, &b);
      g_assert_cmpmem (a.rgba, sizeof a.rgba, b.rgba, sizeof b.rgba);
      g_assert_cmpuint (b.peak_bytes, <=, a.peak_bytes + icc->len);
    }
}

/* Cameras tell Adobe RGB by EXIF's interoperability index alone; a profile counts before it. */
static void
test_interoperability (void)
{
  static const guint8 exif[] = "Exif\0\0II*\0\x08\0\0\0"
                               "\1\0\x69\x87\4\0\1\0\0\0\x1a\0\0\0\0\0\0\0"
                               "\1\0\x05\xa0\4\0\1\0\0\0\x2c\0\0\0\0\0\0\0"
                               "\1\0\1\0\2\0\4\0\0\0R03\0\0\0\0";
  g_autoptr (GByteArray) adobe = profile_rgb (&profile_spaces[0]);
  g_autoptr (GByteArray) prophoto = profile_rgb (&profile_spaces[2]);
  const ThBytes icc[2] = { { NULL, 0 }, bytes_of (prophoto) };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GByteArray) jpeg = chart_make (CHART_JPEG, TH_COLOR_RGB, icc[i]);
      ChartColors colors;

      jpeg_insert_segment (jpeg, 0xe1, exif, sizeof exif);
      chart_render (jpeg, &colors);
      assert_near (chart_compare (&colors, TH_COLOR_RGB, bytes_of (i == 0 ? adobe : prophoto)),
                   CHART_JPEG, i == 0 ? "adobe by index" : "prophoto");
    }
}

typedef struct
{
  const char *name;
  /* Makes the profile useless. */
  void (*spoil) (GByteArray *icc);
} SpoiledRow;

static void
spoil_class (GByteArray *icc)
{
  memcpy (icc->data + 12, "link", 4);
}

static void
spoil_space (GByteArray *icc)
{
  memcpy (icc->data + 16, "CMYK", 4);
}

static void
spoil_length (GByteArray *icc)
{
  g_byte_array_set_size (icc, icc->len / 2);
}

static void
spoil_tags (GByteArray *icc)
{
  memset (icc->data + 128, 0xff, 4);
}

/* Larger than any profile, most of it nothing: each container packs it in its way. */
static void
spoil_size (GByteArray *icc)
{
  const guint old = icc->len;

  g_byte_array_set_size (icc, 9u << 20);
  memset (icc->data + old, 0, icc->len - old);
  memcpy (icc->data, (guint8[]){ 0, 0x90, 0, 0 }, 4);
}

static const SpoiledRow spoiled_rows[] = {
  { "wrong-class", spoil_class }, { "other-colours", spoil_space }, { "cut", spoil_length },
  { "lying-tags", spoil_tags },   { "bomb", spoil_size },
};

static void
test_spoiled (gconstpointer data)
{
  const SpoiledRow *row = data;

  for (guint i = 0; i < G_N_ELEMENTS (containers); i++)
    {
      const ChartContainer container = (ChartContainer) i;
      g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[2]);
      g_autoptr (GByteArray) plain = chart_make (container, TH_COLOR_RGB, (ThBytes){ NULL, 0 });
      g_autoptr (GByteArray) told = NULL;
      ChartColors a, b;

      row->spoil (icc);
      told = chart_make (container, TH_COLOR_RGB, bytes_of (icc));
      chart_render (plain, &a);
      chart_render (told, &b);
      g_assert_cmpmem (a.rgba, sizeof a.rgba, b.rgba, sizeof b.rgba);
      /* No more than a profile that is read, however large this one says it is. */
      g_assert_cmpuint (b.peak_bytes, <=, a.peak_bytes + (4u << 20));
    }
}

/* What a PNG may say, and that it says it. */
typedef enum
{
  SAYS_CICP_P3 = 1 << 0,
  SAYS_CICP_UNKNOWN = 1 << 1,
  SAYS_CICP_YCC = 1 << 2,
  SAYS_CICP_SHORT = 1 << 3,
  SAYS_ADOBE = 1 << 4,
  SAYS_PROPHOTO_LATER = 1 << 5,
  SAYS_BROKEN = 1 << 6,
  SAYS_SRGB = 1 << 7,
  SAYS_GAMMA_SRGB = 1 << 8,
  SAYS_GAMMA_LINEAR = 1 << 9,
  SAYS_GAMMA_ZERO = 1 << 10,
  SAYS_CHROMA_SRGB = 1 << 11,
  SAYS_CHROMA_P3 = 1 << 12,
  SAYS_CHROMA_NONSENSE = 1 << 13,
  SAYS_ADOBE_LATE = 1 << 14, /* behind the picture */
} Says;

typedef enum
{
  MEANS_SRGB,
  MEANS_ADOBE,
  MEANS_LINEAR,
  MEANS_P3,
} Means;

typedef struct
{
  const char *name;
  guint says;
  Means means;
} OrderRow;

static const OrderRow order_rows[] = {
  { "nothing", 0, MEANS_SRGB },
  { "srgb", SAYS_SRGB, MEANS_SRGB },
  { "gamma-srgb", SAYS_GAMMA_SRGB, MEANS_SRGB },
  { "gamma-linear", SAYS_GAMMA_LINEAR, MEANS_LINEAR },
  { "gamma-zero", SAYS_GAMMA_ZERO, MEANS_SRGB },
  { "chroma-alone", SAYS_CHROMA_P3, MEANS_SRGB },
  { "gamma-chroma", SAYS_GAMMA_SRGB | SAYS_CHROMA_P3, MEANS_P3 },
  { "gamma-chroma-srgb", SAYS_GAMMA_SRGB | SAYS_CHROMA_SRGB, MEANS_SRGB },
  { "chroma-nonsense", SAYS_GAMMA_LINEAR | SAYS_CHROMA_NONSENSE, MEANS_SRGB },
  { "srgb-before-gamma", SAYS_SRGB | SAYS_GAMMA_LINEAR | SAYS_CHROMA_P3, MEANS_SRGB },
  { "profile", SAYS_ADOBE, MEANS_ADOBE },
  { "profile-before-srgb", SAYS_ADOBE | SAYS_SRGB | SAYS_GAMMA_SRGB, MEANS_ADOBE },
  { "profile-before-gamma", SAYS_ADOBE | SAYS_GAMMA_LINEAR | SAYS_CHROMA_P3, MEANS_ADOBE },
  { "first-profile", SAYS_ADOBE | SAYS_PROPHOTO_LATER, MEANS_ADOBE },
  { "late-profile", SAYS_ADOBE_LATE, MEANS_SRGB },
  { "broken-then-gamma", SAYS_BROKEN | SAYS_GAMMA_LINEAR, MEANS_LINEAR },
  { "broken-then-srgb", SAYS_BROKEN | SAYS_SRGB | SAYS_GAMMA_LINEAR, MEANS_SRGB },
  { "cicp", SAYS_CICP_P3, MEANS_P3 },
  { "cicp-before-profile", SAYS_CICP_P3 | SAYS_ADOBE | SAYS_SRGB, MEANS_P3 },
  { "cicp-unknown", SAYS_CICP_UNKNOWN | SAYS_ADOBE, MEANS_ADOBE },
  { "cicp-ycc", SAYS_CICP_YCC | SAYS_ADOBE, MEANS_ADOBE },
  { "cicp-short", SAYS_CICP_SHORT | SAYS_GAMMA_LINEAR, MEANS_LINEAR },
};

static const ProfileSpace p3 = {
  "p3-srgb", { 0.3127, 0.3290, 1 }, { { 0.68, 0.32, 1 }, { 0.265, 0.69, 1 }, { 0.15, 0.06, 1 } }, 0
};

static GByteArray *
profile_p3 (void)
{
  const double numbers[] = { 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045 };
  cmsToneCurve *curve = cmsBuildParametricToneCurve (NULL, 4, numbers);
  cmsToneCurve *curves[3] = { curve, curve, curve };
  GByteArray *icc = profile_save (cmsCreateRGBProfile (&p3.white, &p3.primaries, curves));

  cmsFreeToneCurve (curve);
  return icc;
}

static void
add_numbers (GByteArray *png, const char *type, const guint32 *numbers, guint n)
{
  guint32 swapped[8];

  for (guint i = 0; i < n; i++)
    swapped[i] = GUINT32_TO_BE (numbers[i]);
  png_add (png, type, swapped, n * sizeof *swapped);
}

static void
add_numbered (GByteArray *png, guint says)
{
  static const struct
  {
    guint says;
    const char *type;
    guint n;
    guint32 numbers[8];
  } rows[] = {
    { SAYS_GAMMA_SRGB, "gAMA", 1, { 45455 } },
    { SAYS_GAMMA_LINEAR, "gAMA", 1, { 100000 } },
    { SAYS_GAMMA_ZERO, "gAMA", 1, { 0 } },
    { SAYS_CHROMA_SRGB, "cHRM", 8, { 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000 } },
    { SAYS_CHROMA_P3, "cHRM", 8, { 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000 } },
    { SAYS_CHROMA_NONSENSE, "cHRM", 8, { 0, 0, 0xffffffff, 1, 1, 1, 1, 1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((says & rows[i].says) != 0)
      add_numbers (png, rows[i].type, rows[i].numbers, rows[i].n);
}

static void
add_points (GByteArray *png, guint says)
{
  static const struct
  {
    guint says;
    gsize size;
    guint8 points[4];
  } rows[] = {
    { SAYS_CICP_P3, 4, { 12, 13, 0, 1 } },
    { SAYS_CICP_UNKNOWN, 4, { 2, 2, 0, 1 } },
    { SAYS_CICP_YCC, 4, { 12, 13, 1, 1 } },
    { SAYS_CICP_SHORT, 3, { 12, 13, 0 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((says & rows[i].says) != 0)
      png_add (png, "cICP", rows[i].points, rows[i].size);
}

static void
add_statements (GByteArray *png, guint says)
{
  g_autoptr (GByteArray) adobe = profile_rgb (&profile_spaces[0]);
  g_autoptr (GByteArray) prophoto = profile_rgb (&profile_spaces[2]);

  /* What counts least comes first. */
  add_numbered (png, says);
  if ((says & SAYS_SRGB) != 0)
    png_add (png, "sRGB", "", 1);
  if ((says & SAYS_BROKEN) != 0)
    png_add_profile (png, adobe->data, 200);
  if ((says & SAYS_ADOBE) != 0)
    png_add_profile (png, adobe->data, adobe->len);
  if ((says & SAYS_PROPHOTO_LATER) != 0)
    png_add_profile (png, prophoto->data, prophoto->len);
  add_points (png, says);
}

static GByteArray *
png_saying (guint says)
{
  g_autoptr (GByteArray) adobe = profile_rgb (&profile_spaces[0]);
  guint32 width, height;
  g_autoptr (GByteArray) rows = chart_rows (TH_COLOR_RGB, &width, &height);
  GByteArray *png = png_begin (width, height, 2, 8);

  add_statements (png, says);
  png_finish (png, rows->data, rows->len / height, height);
  if ((says & SAYS_ADOBE_LATE) != 0)
    png_add_profile (png, adobe->data, adobe->len);
  return png;
}

static GByteArray *
profile_meaning (Means means)
{
  if (means == MEANS_P3)
    return profile_p3 ();
  return profile_rgb (&profile_spaces[means == MEANS_ADOBE ? 0 : 3]);
}

static void
test_order (gconstpointer data)
{
  const OrderRow *row = data;
  g_autoptr (GByteArray) png = png_saying (row->says);
  g_autoptr (GByteArray) icc = profile_meaning (row->means);
  ColorDifference difference;
  ChartColors colors;

  chart_render (png, &colors);
  difference = row->means == MEANS_SRGB
                   ? chart_compare (&colors, TH_COLOR_RGB, (ThBytes){ NULL, 0 })
                   : chart_compare (&colors, TH_COLOR_RGB, bytes_of (icc));
  assert_near (difference, CHART_PNG, row->name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < N_PROFILE_SPACES; i++)
    {
      g_autofree char *path = g_strconcat ("/colors/matrix/", profile_spaces[i].name, NULL);

      g_test_add_data_func (path, &profile_spaces[i], test_matrix);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (spoiled_rows); i++)
    {
      g_autofree char *path = g_strconcat ("/colors/spoiled/", spoiled_rows[i].name, NULL);

      g_test_add_data_func (path, &spoiled_rows[i], test_spoiled);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (order_rows); i++)
    {
      g_autofree char *path = g_strconcat ("/colors/order/", order_rows[i].name, NULL);

      g_test_add_data_func (path, &order_rows[i], test_order);
    }
  g_test_add_func ("/colors/grey", test_grey);
  g_test_add_func ("/colors/interoperability", test_interoperability);
  g_test_add_func ("/colors/tables", test_tables);
  g_test_add_data_func ("/colors/installed", NULL, test_installed);
  g_test_add_func ("/colors/srgb", test_srgb);
  return g_test_run ();
}
