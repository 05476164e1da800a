/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "bombs-jxl.h"
#include "jxl-maker.h"
#include "made.h"

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
  { "passes", 8, .distance = 1, .mean = 2, .options = { OPTION (PROGRESSIVE_AC, 1) } },
  { "passes-alpha", 8, .alpha = TRUE, .distance = 1, .mean = 2,
    .options = { OPTION (PROGRESSIVE_AC, 1) } },
  { "passes-16", 16, .alpha = TRUE, .distance = 1, .mean = 2,
    .options = { OPTION (PROGRESSIVE_AC, 1) } },
  { "passes-by-bits", 8, .distance = 1, .mean = 2, .options = { OPTION (QPROGRESSIVE_AC, 1) } },
  { "low-frequencies-first", 8, .distance = 1, .mean = 2,
    .options = { OPTION (PROGRESSIVE_DC, 1), OPTION (PROGRESSIVE_AC, 1) } },
  { "low-frequencies-twice", 8, .distance = 1, .mean = 2,
    .options = { OPTION (PROGRESSIVE_DC, 2), OPTION (QPROGRESSIVE_AC, 1) } },
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

static Made *
add_maker (GPtrArray *pictures, const JxlMaker *maker, ThSize size, const JxlMakerBox *box)
{
  Picture *drawn = made_drawing (size, maker->grey, maker->alpha);
  Made *made = made_new (g_strdup (maker->name), TH_STATUS_OK, drawn, 1);
  const JxlMakerFrame frame = { .picture = drawn };

  made->mean = maker->mean;
  made->orientation = MAX (maker->orientation, 1);
  if (maker->premultiplied)
    multiply (drawn);
  jxl_maker_run (maker, size, &frame, 1, box, made->data);
  g_ptr_array_add (pictures, made);
  return made;
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
  add_late (pictures, "late", 3, FALSE, TRUE);
  add_late (pictures, "late-transparent", 2, TRUE, TRUE);
  add_late (pictures, "too-late", 9, FALSE, FALSE);
  bombs_jxl (pictures);
  return pictures;
}
