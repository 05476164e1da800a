/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Previews within JPEG files: taken where they show the same, never where they do not. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "camera-maker.h"
#include "core/th-codec.h"
#include "core/th-render.h"

extern const ThCodec th_codec_jpeg;

#define BOX 128u
#define FULL                                                                                       \
  {                                                                                                \
    640, 480, { 0 }, FALSE, JCS_UNKNOWN                                                            \
  }
#define SMALL                                                                                      \
  {                                                                                                \
    200, 150, { 0 }, FALSE, JCS_UNKNOWN                                                            \
  }
#define TYPE_VGA 0x010001u
#define TYPE_HD  0x010002u

static gboolean
uses_preview (const guint8 *data, gsize size, guint32 box)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  g_autoptr (ThInput) input = th_input_new_bytes (copy, size);
  ThSession *session = NULL;
  ThLimits limits;
  ThSize target;
  ThPlan plan;

  th_limits_init (&limits);
  g_assert_cmpint (th_codec_jpeg.open (input, &limits, &session, NULL), ==, TH_STATUS_OK);
  target = th_fit (th_codec_jpeg.header (session)->size, box);
  g_assert_true (th_codec_jpeg.plan (session, &target, 1, &plan));
  th_codec_jpeg.close (session);
  if (plan.from_preview)
    g_assert_true (plan.raster.width == target.width && plan.raster.height == target.height);
  return plan.from_preview;
}

/* The thumbnail, caller frees the data. Takes the input. */
static ThStatus
render (ThInput *source, guint32 box, gboolean previews, ThImage *image)
{
  g_autoptr (ThInput) input = source;
  g_autoptr (ThRender) made = NULL;
  g_autoptr (GError) error = NULL;
  ThStatus status;
  ThLimits limits;

  *image = (ThImage){ .data = NULL };
  th_limits_init (&limits);
  limits.embedded_previews = previews;
  status = th_render_open (input, &limits, &box, 1, NULL, &made, &error);
  if (status != TH_STATUS_OK)
    return status;
  image->size = th_fit (th_render_plan (made)->full, box);
  image->channels = th_render_plan (made)->channels;
  image->stride = (gsize) image->size.width * image->channels;
  image->data = g_malloc0 (image->stride * image->size.height);
  return th_render_run (made, image, &error);
}

/* Mean difference of the thumbnails with previews and without. */
static double
difference (const GByteArray *file, guint32 box)
{
  ThImage with, without;
  double sum = 0;
  gsize n;

  g_assert_cmpint (render (th_input_new_bytes (file->data, file->len), box, TRUE, &with), ==,
                   TH_STATUS_OK);
  g_assert_cmpint (render (th_input_new_bytes (file->data, file->len), box, FALSE, &without), ==,
                   TH_STATUS_OK);
  g_assert_true (with.size.width == without.size.width && with.size.height == without.size.height);
  g_assert_cmpuint (with.channels, ==, without.channels);
  n = with.stride * with.size.height;
  for (gsize i = 0; i < n; i++)
    sum += ABS (with.data[i] - without.data[i]);
  g_free (with.data);
  g_free (without.data);
  return sum / (double) n;
}

static void
expect (const CameraRecipe *recipe, gboolean preview)
{
  g_autoptr (GByteArray) file = camera_make (recipe);

  g_assert_cmpint (uses_preview (file->data, file->len, BOX), ==, preview);
  g_assert_cmpfloat (difference (file, BOX), <, preview ? 4 : 1e-9);
}

static void
test_orientations (void)
{
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);

  for (guint orientation = 0; orientation <= 9; orientation++)
    expect (&(CameraRecipe){ .shot = FULL,
                             .orientation = orientation,
                             .preview = preview,
                             .preview_orientation = orientation <= 8 ? orientation : 0,
                             .said_width = 640,
                             .said_height = 480,
                             .taken = "2024:05:06 07:08:09",
                             .changed = "2024:05:06 07:08:09" },
            TRUE);
}

/* As large as is needed, and no larger than pays. */
static void
test_sizes (void)
{
  static const struct
  {
    guint width;
    guint height;
    gboolean used;
  } rows[] = {
    { 160, 120, FALSE }, { 191, 143, FALSE }, { 192, 144, TRUE },  { 200, 150, TRUE },
    { 320, 240, TRUE },  { 321, 241, FALSE }, { 640, 480, FALSE }, { 200, 147, FALSE },
    { 200, 149, TRUE },  { 200, 153, FALSE }, { 200, 200, FALSE }, { 150, 200, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) preview =
          camera_shoot (&(Shot){ .width = rows[i].width, .height = rows[i].height });

      g_test_message ("%u×%u", rows[i].width, rows[i].height);
      expect (&(CameraRecipe){ .shot = FULL, .preview = preview }, rows[i].used);
    }
}

typedef struct
{
  const char *name;
  Scene now;  /* what the main picture shows */
  Scene then; /* what the preview shows */
} StaleRow;

static const StaleRow stale[] = {
  { "cropped", { .right = 0.8, .bottom = 0.8 }, { 0 } },
  { "cropped in the middle", { .left = 0.2, .top = 0.2, .right = 0.8, .bottom = 0.8 }, { 0 } },
  { "cropped a little", { .left = 0.02, .top = 0.02, .right = 1, .bottom = 1 }, { 0 } },
  { "mirrored", { .left = 1, .right = 0, .bottom = 1 }, { 0 } },
  { "upside down", { .top = 1, .right = 1, .bottom = 0 }, { 0 } },
  { "turned by 180°", { .left = 1, .top = 1 }, { 0 } },
  { "another picture", { .number = 1 }, { 0 } },
  { "inverted", { .inverted = TRUE }, { 0 } },
  { "another colour", { .tint = 30 }, { 0 } },
  { "painted over", { .censored_from = 0.05, .censored_to = 0.1 }, { 0 } },
  { "bars within the shape", { 0 }, { .bars = 0.1 } },
  { "black", { 0 }, { .censored_to = 1 } },
  { "smoothed", { .grain = 20 }, { 0 } },
  { "nothing but sky to go by", { .sky = 0.4 }, { .sky = 0.4 } },
};

static void
test_stale (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (stale); i++)
    {
      Shot then = { 200, 150, stale[i].then, FALSE, JCS_UNKNOWN };
      g_autoptr (GByteArray) preview = camera_shoot (&then);
      CameraRecipe recipe = { .shot = { 640, 480, stale[i].now, FALSE, JCS_UNKNOWN },
                              .preview = preview };

      g_test_message ("%s", stale[i].name);
      expect (&recipe, FALSE);
    }
}

/* Each differs in one point from a file that the camera has left. */
static void
test_edited (void)
{
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);
  const CameraRecipe rows[] = {
    { .jfif = TRUE },
    { .marker_before = 0xfe },
    { .marker_before = 0xe4 },
    { .marker_after = 0xed },
    { .said_width = 800 },
    { .said_height = 600 },
    { .said_width = 480, .said_height = 640 },
    { .taken = "2024:05:06 07:08:09", .changed = "2024:05:06 07:08:10" },
    { .orientation = 6, .preview_orientation = 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CameraRecipe recipe = rows[i];

      g_test_message ("row %u", i);
      recipe.shot = (Shot) FULL;
      recipe.preview = preview;
      expect (&recipe, FALSE);
    }
}

/* A preview of a sort that is not read, or that is broken: the main picture is there. */
static void
test_bad_previews (void)
{
  static const Shot sorts[] = {
    { 200, 150, { 0 }, TRUE, JCS_UNKNOWN },
    { 200, 150, { 0 }, FALSE, JCS_CMYK },
    { 200, 150, { 0 }, FALSE, JCS_GRAYSCALE },
    { 200, 150, { 0 }, FALSE, JCS_RGB },
  };
  g_autoptr (GByteArray) good = camera_shoot (&(Shot) SMALL);

  for (guint i = 0; i < G_N_ELEMENTS (sorts); i++)
    {
      g_autoptr (GByteArray) preview = camera_shoot (&sorts[i]);

      expect (&(CameraRecipe){ .shot = FULL, .preview = preview }, FALSE);
    }
  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (GByteArray) cut = g_byte_array_new ();

      g_byte_array_append (cut, good->data, good->len * i / 8);
      expect (&(CameraRecipe){ .shot = FULL, .preview = cut }, FALSE);
      g_byte_array_append (cut, good->data, good->len - cut->len);
      if (i > 0)
        expect (&(CameraRecipe){ .shot = FULL, .preview = cut }, FALSE);
    }
}

static void
test_main_sorts (void)
{
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);
  g_autoptr (GByteArray) grey =
      camera_shoot (&(Shot){ .width = 200, .height = 150, .stored = JCS_GRAYSCALE });
  CameraRecipe recipe = { .shot = FULL, .preview = preview };

  recipe.shot.progressive = TRUE;
  expect (&recipe, FALSE);
  recipe.shot = (Shot){ .width = 640, .height = 480, .stored = JCS_GRAYSCALE };
  expect (&recipe, FALSE);
  recipe.preview = grey;
  expect (&recipe, TRUE);
  recipe.shot.stored = JCS_CMYK;
  expect (&recipe, FALSE);
}

static void
test_lies (void)
{
  static const guint32 numbers[] = { 0,          1,          8,          100,       6000,
                                     0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
      {
        CameraRecipe recipe = { .shot = FULL,
                                .preview = preview,
                                .preview_lies = TRUE,
                                .preview_offset = numbers[i],
                                .preview_length = numbers[j] };
        g_autoptr (GByteArray) file = NULL;

        recipe.shot.width = 64;
        recipe.shot.height = 48;
        recipe.pictures[0] = (CameraPicture){ TYPE_HD, NULL, TRUE, numbers[i], numbers[j] };
        recipe.pictures[1] = (CameraPicture){ TYPE_VGA, NULL, TRUE, numbers[j], numbers[i] };
        file = camera_make (&recipe);
        g_assert_false (uses_preview (file->data, file->len, 16));
      }
}

/* Directories that point to themselves and to each other. */
static void
test_loops (void)
{
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);
  CameraRecipe recipe = { .shot = FULL, .preview = preview, .loop = TRUE, .orientation = 3 };

  expect (&recipe, FALSE);
  recipe.pictures[2] = (CameraPicture){ .type = TYPE_HD, .jpeg = preview };
  expect (&recipe, TRUE);
}

static void
test_multi_picture (void)
{
  g_autoptr (GByteArray) tiny = camera_shoot (&(Shot){ .width = 160, .height = 120 });
  g_autoptr (GByteArray) other =
      camera_shoot (&(Shot){ .width = 200, .height = 150, .scene = { .number = 1 } });
  g_autoptr (GByteArray) small = camera_shoot (&(Shot) SMALL);
  g_autoptr (GByteArray) large = camera_shoot (&(Shot){ .width = 320, .height = 240 });
  CameraRecipe recipe = { .shot = FULL, .preview = tiny };

  /* A gain map, a further view, a depth map: no previews, whatever they show. */
  recipe.pictures[0] = (CameraPicture){ .type = 0x000000, .jpeg = small };
  recipe.pictures[1] = (CameraPicture){ .type = 0x020003, .jpeg = small };
  recipe.pictures[2] = (CameraPicture){ .type = 0x020002, .jpeg = small };
  expect (&recipe, FALSE);
  /* No JPEG. */
  recipe.pictures[3] = (CameraPicture){ .type = 0x01000000 | TYPE_HD, .jpeg = large };
  expect (&recipe, FALSE);
  recipe.pictures[3].type = TYPE_HD;
  expect (&recipe, TRUE);
  /* The smallest that suffices is asked, even if it turns out to be another one. */
  recipe.pictures[1].type = TYPE_VGA;
  expect (&recipe, TRUE);
  recipe.pictures[1].jpeg = other;
  expect (&recipe, FALSE);
}

/* What a preview says of itself does not matter, nor does the preview that it has. */
static void
test_nested (void)
{
  g_autoptr (GByteArray) innermost =
      camera_shoot (&(Shot){ .width = 192, .height = 144, .scene = { .number = 1 } });
  g_autoptr (GByteArray) nested =
      camera_make (&(CameraRecipe){ .shot = SMALL, .orientation = 6, .preview = innermost });

  expect (&(CameraRecipe){ .shot = FULL, .preview = nested }, TRUE);
}

/* The main picture must reach as far as is looked at; no farther. */
static void
test_truncated (void)
{
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);
  g_autoptr (GByteArray) file = camera_make (&(CameraRecipe){ .shot = FULL, .preview = preview });
  gsize head = preview->len + 1000, data = file->len - head;
  gsize most = head + data * 6 / 10, least = head + data / 20;
  ThImage image;

  g_assert_true (uses_preview (file->data, most, BOX));
  g_assert_cmpint (render (th_input_new_bytes (file->data, most), BOX, TRUE, &image), ==,
                   TH_STATUS_OK);
  g_free (image.data);
  g_assert_false (uses_preview (file->data, least, BOX));
  g_assert_cmpint (render (th_input_new_bytes (file->data, head), BOX, TRUE, &image), ==,
                   TH_STATUS_CORRUPT);
  g_free (image.data);
}

/* From a file larger than the input's window, after a preview behind its end was refused. */
static void
test_refused_in_file (void)
{
  g_autoptr (GByteArray) preview =
      camera_shoot (&(Shot){ .width = 200, .height = 150, .scene = { .number = 1 } });
  g_autoptr (GByteArray) file =
      camera_make (&(CameraRecipe){ .shot = { 1600, 1200, { .grain = 40 }, FALSE, JCS_UNKNOWN },
                                    .pictures = { { .type = TYPE_HD, .jpeg = preview } } });
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("thimble-XXXXXX", &path, NULL);
  ThImage from_file, from_memory;

  g_assert_cmpuint (file->len, >, TH_INPUT_WINDOW);
  g_assert_cmpint (write (fd, file->data, file->len), ==, (gssize) file->len);
  g_assert_cmpint (render (th_input_new_fd (fd, NULL), BOX, TRUE, &from_file), ==, TH_STATUS_OK);
  g_assert_cmpint (render (th_input_new_bytes (file->data, file->len), BOX, FALSE, &from_memory),
                   ==, TH_STATUS_OK);
  g_assert_cmpint (
      memcmp (from_file.data, from_memory.data, from_memory.stride * from_memory.size.height), ==,
      0);
  g_free (from_file.data);
  g_free (from_memory.data);
  g_unlink (path);
  close (fd);
}

/* All sizes come from it. */
static void
test_several_sizes (void)
{
  static const guint32 boxes[] = { 128, 64, 31 };
  g_autoptr (GByteArray) preview = camera_shoot (&(Shot) SMALL);
  g_autoptr (GByteArray) file = camera_make (&(CameraRecipe){ .shot = FULL, .preview = preview });

  g_assert_false (uses_preview (file->data, file->len, 134));
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_assert_true (uses_preview (file->data, file->len, boxes[i]));
      g_assert_cmpfloat (difference (file, boxes[i]), <, 4);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg-preview/orientations", test_orientations);
  g_test_add_func ("/jpeg-preview/sizes", test_sizes);
  g_test_add_func ("/jpeg-preview/stale", test_stale);
  g_test_add_func ("/jpeg-preview/edited", test_edited);
  g_test_add_func ("/jpeg-preview/bad-previews", test_bad_previews);
  g_test_add_func ("/jpeg-preview/main-sorts", test_main_sorts);
  g_test_add_func ("/jpeg-preview/lies", test_lies);
  g_test_add_func ("/jpeg-preview/loops", test_loops);
  g_test_add_func ("/jpeg-preview/multi-picture", test_multi_picture);
  g_test_add_func ("/jpeg-preview/nested", test_nested);
  g_test_add_func ("/jpeg-preview/truncated", test_truncated);
  g_test_add_func ("/jpeg-preview/refused-in-file", test_refused_in_file);
  g_test_add_func ("/jpeg-preview/several-sizes", test_several_sizes);
  return g_test_run ();
}
