/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "bombs-jxl.h"
#include "jxl-maker.h"
#include "made.h"
#include "preview-jxl.h"

#define WIDTH  61u
#define HEIGHT 47u

#define MODULAR(value)                                                                             \
  {                                                                                                \
    JXL_ENC_FRAME_SETTING_MODULAR, value                                                           \
  }
#define OPTION(name, value)                                                                        \
  {                                                                                                \
    JXL_ENC_FRAME_SETTING_##name, value                                                            \
  }

static const JxlMaker makers[] = {
  { "exact", 8 },
  { "exact-alpha", 8, .alpha = TRUE },
  { "exact-premultiplied", 8, .alpha = TRUE, .premultiplied = TRUE },
  { "exact-grey", 8, .grey = TRUE },
  { "exact-grey-alpha", 8, .grey = TRUE, .alpha = TRUE },
  { "exact-10", 10 },
  { "exact-16", 16 },
  { "exact-16-alpha", 16, .alpha = TRUE },
  { "exact-16-grey", 16, .grey = TRUE },
  { "exact-half", 16, .exponent = 5 },
  { "exact-float", 32, .exponent = 8 },
  { "exact-float-alpha", 32, .exponent = 8, .alpha = TRUE },
  { "exact-depth", 8, .alpha = TRUE, .more = 1 },
  { "exact-responsive", 8, .alpha = TRUE, .options = { OPTION (RESPONSIVE, 1) } },
  { "container", 8, .container = TRUE },
  { "lossy", 8, .distance = 1, .mean = 2 },
  { "lossy-alpha", 8, .alpha = TRUE, .distance = 1, .mean = 3 },
  { "lossy-grey", 8, .grey = TRUE, .distance = 1, .mean = 2 },
  { "lossy-grey-alpha", 8, .grey = TRUE, .alpha = TRUE, .distance = 1, .mean = 3 },
  { "lossy-16", 16, .distance = 1, .mean = 2 },
  { "lossy-float", 32, .exponent = 8, .distance = 1, .mean = 2 },
  { "lossy-modular", 8, .distance = 1, .mean = 3, .options = { OPTION (MODULAR, 1) } },
  { "noise", 8, .distance = 1, .mean = 6, .noise = 800 },
  { "half-size", 8, .distance = 1, .mean = 5, .options = { OPTION (RESAMPLING, 2) } },
};

/* Larger ones, of several groups, for what comes in passes. */
static const JxlMaker large_makers[] = {
  { "large", 8, .distance = 1, .mean = 2 },
  { "large-16", 16, .distance = 1, .mean = 2 },
  { "large-alpha", 8, .alpha = TRUE, .distance = 1, .mean = 2 },
  { "large-grey", 8, .grey = TRUE, .distance = 1, .mean = 2 },
  { "large-noise", 8, .distance = 1, .mean = 6, .noise = 800 },
  { "large-exact", 8 },
  { "large-exact-alpha", 8, .alpha = TRUE },
  { "large-exact-float", 32, .exponent = 8, .alpha = TRUE },
  { "large-exact-16", 16 },
  { "large-modular", 8, .distance = 1, .mean = 3, .options = { OPTION (MODULAR, 1) } },
  { "responsive", 8, .options = { OPTION (RESPONSIVE, 1) } },
  { "responsive-alpha", 8, .alpha = TRUE, .options = { OPTION (RESPONSIVE, 1) } },
  { "low-frequencies-first", 8, .distance = 1, .mean = 2,
    .options = { OPTION (PROGRESSIVE_DC, 1) } },
  { "middle-first", 8, .distance = 1, .mean = 2, .options = { OPTION (GROUP_ORDER, 1) } },
};

/* What the file holds, and the decoder hands on as it is. */
static void
multiply (Picture *picture)
{
  for (gsize i = 0; i < (gsize) picture->size.width * picture->size.height; i++)
    for (guint c = 0; c < 3; c++)
      {
        guint8 *sample = &picture->rgba[i * 4 + c];

        *sample = (guint8) ((*sample * picture->rgba[i * 4 + 3] + 127) / 255);
      }
}

/* What the inks come to, of which black's is where the drawing is transparent. */
static void
ink (Picture *picture, gboolean alpha)
{
  multiply (picture);
  for (gsize i = 0; i < (gsize) picture->size.width * picture->size.height && !alpha; i++)
    picture->rgba[i * 4 + 3] = 255;
}

static Made *
add_maker (GPtrArray *pictures, const JxlMaker *maker, ThSize size, const JxlMakerBox *box)
{
  Picture *drawn = made_drawing (size, maker->grey, maker->alpha || maker->black > 0);
  Made *made = made_new (g_strdup (maker->name), TH_STATUS_OK, drawn, 1);
  const JxlMakerFrame frame = { .picture = drawn };

  made->mean = maker->mean;
  made->orientation = MAX (maker->orientation, 1);
  if (maker->premultiplied)
    multiply (drawn);
  jxl_maker_run (maker, size, &frame, 1, box, made->data);
  if (maker->black > 0)
    ink (drawn, maker->alpha);
  g_ptr_array_add (pictures, made);
  return made;
}

#define WHITE JXL_WHITE_POINT_D65
#define COLORS(space, primaries_, function)                                                        \
  {                                                                                                \
    .color_space = JXL_COLOR_SPACE_##space, .white_point = WHITE, .primaries = primaries_,         \
    .transfer_function = JXL_TRANSFER_FUNCTION_##function                                          \
  }

static void
is_pq (const ThHeader *header)
{
  g_assert_true (header->space.given);
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_PQ);
  g_assert_cmpfloat_with_epsilon (header->space.red.x, 0.708, 1e-4);
  g_assert_null (header->icc);
}

static void
is_hlg (const ThHeader *header)
{
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_HLG);
  g_assert_cmpfloat_with_epsilon (header->space.green.y, 0.797, 1e-4);
}

static void
is_linear (const ThHeader *header)
{
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_GAMMA);
  g_assert_cmpfloat (header->space.gamma, ==, 1);
  g_assert_cmpfloat_with_epsilon (header->space.white.x, 0.3127, 1e-4);
}

static void
is_display_p3 (const ThHeader *header)
{
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_SRGB);
  g_assert_cmpfloat_with_epsilon (header->space.red.x, 0.680, 1e-4);
}

static void
is_gamma_2_2 (const ThHeader *header)
{
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_GAMMA);
  g_assert_cmpfloat_with_epsilon (header->space.gamma, 2.2, 1e-3);
}

/* By numbers, without loss and with some; the samples stay what they are. */
static const struct
{
  JxlMaker maker;
  void (*check) (const ThHeader *header);
} colored[] = {
  { { "pq", 10, .colored = TRUE, .colors = COLORS (RGB, JXL_PRIMARIES_2100, PQ) }, is_pq },
  { { "pq-lossy", 16, .distance = 1, .mean = 6, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_2100, PQ) },
    is_pq },
  { { "hlg", 10, .colored = TRUE, .colors = COLORS (RGB, JXL_PRIMARIES_2100, HLG) }, is_hlg },
  { { "hlg-lossy", 10, .distance = 1, .mean = 3, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_2100, HLG) },
    is_hlg },
  { { "linear", 16, .colored = TRUE, .colors = COLORS (RGB, JXL_PRIMARIES_SRGB, LINEAR) },
    is_linear },
  { { "linear-float-alpha", 32, 8, .alpha = TRUE, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_SRGB, LINEAR) },
    is_linear },
  { { "linear-lossy", 32, 8, .alpha = TRUE, .distance = 1, .mean = 3, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_SRGB, LINEAR) },
    is_linear },
  { { "linear-grey", 16, .grey = TRUE, .colored = TRUE,
      .colors = COLORS (GRAY, JXL_PRIMARIES_SRGB, LINEAR) },
    is_linear },
  { { "linear-noise", 16, .distance = 1, .noise = 800, .mean = 6, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_SRGB, LINEAR) },
    is_linear },
  { { "display-p3", 8, .colored = TRUE, .colors = COLORS (RGB, JXL_PRIMARIES_P3, SRGB) },
    is_display_p3 },
  { { "display-p3-lossy", 8, .distance = 1, .mean = 3, .colored = TRUE,
      .colors = COLORS (RGB, JXL_PRIMARIES_P3, SRGB) },
    is_display_p3 },
  { { "gamma", 8, .colored = TRUE,
      .colors = { JXL_COLOR_SPACE_RGB, WHITE, .primaries = JXL_PRIMARIES_SRGB,
                  .transfer_function = JXL_TRANSFER_FUNCTION_GAMMA, .gamma = 1 / 2.2 } },
    is_gamma_2_2 },
};

static void
add_colored (GPtrArray *pictures)
{
  for (gsize i = 0; i < G_N_ELEMENTS (colored); i++)
    {
      JxlMaker large = colored[i].maker;
      g_autofree char *name = g_strconcat (large.name, "-large", NULL);

      add_maker (pictures, &colored[i].maker, (ThSize){ WIDTH, HEIGHT }, NULL)->check_header =
          colored[i].check;
      large.name = name;
      if (large.bits > 8)
        add_maker (pictures, &large, (ThSize){ 500, 400 }, NULL);
    }
}

static void
has_profile (const ThHeader *header)
{
  g_assert_false (header->space.given);
  g_assert_nonnull (header->icc);
  g_assert_cmpuint (header->icc_size, >, 128);
}

static void
is_srgb (const ThHeader *header)
{
  g_assert_null (header->icc);
  g_assert_cmpint (header->space.transfer, ==, TH_TRANSFER_SRGB);
  g_assert_cmpfloat_with_epsilon (header->space.red.x, 0.640, 1e-3);
}

/* Without loss the profile is handed on; with some the decoder brings the samples to sRGB. */
static void
add_profiles (GPtrArray *pictures)
{
  static const JxlColorEncoding rgb = COLORS (RGB, JXL_PRIMARIES_P3, 709);
  static const JxlColorEncoding grey = COLORS (GRAY, JXL_PRIMARIES_SRGB, 709);
  static const JxlColorEncoding srgb = COLORS (RGB, JXL_PRIMARIES_SRGB, SRGB);
  g_autoptr (GByteArray) of_rgb = jxl_maker_profile (&rgb);
  g_autoptr (GByteArray) of_grey = jxl_maker_profile (&grey);
  g_autoptr (GByteArray) of_srgb = jxl_maker_profile (&srgb);
  const ThSize size = { WIDTH, HEIGHT };
  const JxlMaker profiled[] = {
    { "profile", 8, .icc = of_rgb },
    { "profile-16", 16, .icc = of_rgb, .alpha = TRUE },
    { "profile-grey", 8, .icc = of_grey, .grey = TRUE },
    { "profile-lossy", 8, .icc = of_srgb, .distance = 1, .mean = 3 },
    { "cmyk", 8, .icc = of_rgb, .black = 1 },
    { "cmyk-alpha", 8, .icc = of_rgb, .alpha = TRUE, .black = 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (profiled); i++)
    {
      Made *made = add_maker (pictures, &profiled[i], size, NULL);

      made->check_header = profiled[i].distance > 0 ? is_srgb : has_profile;
    }
}

static void
add_turned (GPtrArray *pictures, guint orientation, float distance)
{
  g_autofree char *name =
      g_strdup_printf ("turned-%u%s", orientation, distance > 0 ? "-lossy" : "");
  const JxlMaker maker = { name, 8, .orientation = orientation, .distance = distance,
                           .mean = distance > 0 ? 2 : 0 };

  add_maker (pictures, &maker, (ThSize){ WIDTH, HEIGHT }, NULL);
}

/* Frames that show nothing, and one that does after them, or too late. */
static void
add_late (GPtrArray *pictures, const char *name, guint blank, gboolean transparent, gboolean found)
{
  const JxlMaker maker = { name, 8, .animated = TRUE, .alpha = transparent };
  const ThSize size = { WIDTH, HEIGHT };
  Picture *drawn = made_drawing (size, FALSE, transparent);
  Picture *nothing = made_drawing (size, FALSE, FALSE);
  JxlMakerFrame frames[16];
  Made *made = made_new (g_strdup (name), TH_STATUS_OK, found ? drawn : nothing, 0);

  for (gsize i = 0; i < (gsize) WIDTH * HEIGHT * 4; i++)
    nothing->rgba[i] = i % 4 == 3 && !transparent ? 255 : 0;
  g_assert_cmpuint (blank, <, G_N_ELEMENTS (frames));
  for (guint i = 0; i <= blank; i++)
    frames[i] = (JxlMakerFrame){ .picture = i < blank ? nothing : drawn };
  jxl_maker_run (&maker, size, frames, blank + 1, NULL, made->data);
  picture_free (found ? nothing : drawn);
  g_ptr_array_add (pictures, made);
}

/* What EXIF says of turning does not count. */
static void
add_boxes (GPtrArray *pictures)
{
  static const guint8 exif[] = "\0\0\0\0MM\0*\0\0\0\010\0\001\001\022\0\003\0\0\0\001\0\006\0\0"
                               "\0\0\0\0";
  static const JxlMakerBox plain = { "Exif", exif, sizeof exif - 1, FALSE };
  static const JxlMakerBox compressed = { "Exif", exif, sizeof exif - 1, TRUE };
  static const JxlMaker with_exif = { "exif", 8, .container = TRUE };
  static const JxlMaker with_brotli = { "exif-compressed", 8, .container = TRUE, .orientation = 5 };

  add_maker (pictures, &with_exif, (ThSize){ WIDTH, HEIGHT }, &plain);
  add_maker (pictures, &with_brotli, (ThSize){ WIDTH, HEIGHT }, &compressed);
}

/* A still of several layers, of which the upper ones are smaller, or all of a size. */
static void
add_layers (GPtrArray *pictures, const JxlMaker *maker, ThSize size, ThSize upper)
{
  Picture *drawn = made_drawing (size, FALSE, maker->alpha);
  g_autoptr (Picture) below = made_drawing (size, FALSE, maker->alpha);
  g_autoptr (Picture) patch = picture_new (upper);
  const gint32 x = (gint32) (size.width - upper.width) / 2;
  const gint32 y = (gint32) (size.height - upper.height) / 2;
  const JxlMakerFrame on_top = { patch, x, y, maker->alpha };
  const JxlMakerFrame frames[] = { { .picture = below }, on_top, on_top, on_top };
  Made *made = made_new (g_strdup (maker->name), TH_STATUS_OK, drawn, 1);

  made->mean = maker->mean;
  for (guint32 i = 0; i < upper.width * upper.height; i++)
    {
      const gsize row = (gsize) y + i / upper.width;
      guint8 *to = drawn->rgba + (row * size.width + (gsize) x + i % upper.width) * 4;

      memcpy (patch->rgba + (gsize) i * 4, "\xff\x20\x80\xff", 4);
      memcpy (to, "\xff\x20\x80\xff", 4);
    }
  jxl_maker_run (maker, size, frames, G_N_ELEMENTS (frames), NULL, made->data);
  g_ptr_array_add (pictures, made);
}

static void
add_all_layers (GPtrArray *pictures)
{
  static const JxlMaker layered[] = {
    { "layers", 8 },
    { "layers-blended", 8, .alpha = TRUE },
    { "layers-large", 8, .distance = 1, .mean = 3 },
    { "layers-large-blended", 8, .alpha = TRUE, .distance = 1, .mean = 3 },
  };
  const ThSize small = { WIDTH, HEIGHT }, large = { 800, 600 };

  add_layers (pictures, &layered[0], small, (ThSize){ 20, 10 });
  add_layers (pictures, &layered[1], small, (ThSize){ 20, 10 });
  add_layers (pictures, &layered[2], large, large);
  add_layers (pictures, &layered[3], large, large);
}

/* Where no frame shows a picture, one of a colour goes before those that are black. */
static void
add_plain (GPtrArray *pictures)
{
  static const JxlMaker maker = { "late-plain", 8, .animated = TRUE };
  const ThSize size = { WIDTH, HEIGHT };
  g_autoptr (Picture) black = picture_new (size);
  Picture *red = picture_new (size);
  const JxlMakerFrame frames[] = { { black }, { red }, { black } };
  Made *made = made_new (g_strdup (maker.name), TH_STATUS_OK, red, 0);

  red->rows = size.height;
  for (gsize i = 0; i < (gsize) WIDTH * HEIGHT; i++)
    memcpy (red->rgba + i * 4, "\xff\0\0\xff", 4);
  jxl_maker_run (&maker, size, frames, G_N_ELEMENTS (frames), NULL, made->data);
  g_ptr_array_add (pictures, made);
}

/* Shown whole where it is wanted whole; test-module.c asks for less, too. */
static void
add_preview (GPtrArray *pictures)
{
  Picture *drawn = made_drawing ((ThSize){ 600, 400 }, FALSE, FALSE);
  g_autoptr (Picture) preview = made_drawing ((ThSize){ 150, 100 }, FALSE, FALSE);
  Made *made = made_new (g_strdup ("preview"), TH_STATUS_OK, drawn, 1);

  made->preview_width = preview->size.width;
  preview_jxl (made->data, drawn, preview);
  g_ptr_array_add (pictures, made);
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (makers); i++)
    add_maker (pictures, &makers[i], (ThSize){ WIDTH, HEIGHT }, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (large_makers); i++)
    add_maker (pictures, &large_makers[i], (ThSize){ 700, 600 }, NULL);
  for (guint i = 1; i <= 8; i++)
    {
      add_turned (pictures, i, 0);
      add_turned (pictures, i, 1);
    }
  add_colored (pictures);
  add_profiles (pictures);
  add_boxes (pictures);
  add_preview (pictures);
  add_all_layers (pictures);
  add_plain (pictures);
  add_late (pictures, "late", 3, FALSE, TRUE);
  add_late (pictures, "late-transparent", 2, TRUE, TRUE);
  add_late (pictures, "too-late", 9, FALSE, FALSE);
  bombs_jxl (pictures);
  return pictures;
}
