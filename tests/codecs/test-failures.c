/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every codec where reading or memory fails somewhere: that is not the file's fault, so no half
 * picture may be kept for it and nothing may be called damaged. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/th-codec.h"
#include "core/th-render.h"
#include "heap-fail.h"

#define BOX 32u

/* Reads that still succeed; pread has no argument that could carry it. */
static guint reads_left = G_MAXUINT;
static gboolean read_failed;

/* In the place of the C library's. */
ssize_t
pread (int fd, void *buffer, size_t length, off_t offset)
{
  if (reads_left == 0)
    {
      read_failed = TRUE;
      errno = EIO;
      return -1;
    }
  reads_left--;
  return syscall (SYS_pread64, fd, buffer, length, offset);
}

static void
fail_reads_after (guint count)
{
  reads_left = count;
  read_failed = FALSE;
}

static gboolean
has_read_failed (void)
{
  return read_failed;
}

typedef struct
{
  const char *name;
  void (*fail_after) (guint count);
  gboolean (*has_failed) (void);
  ThStatus expected;
  gboolean always; /* whatever the picture, it can happen: only large blocks of memory fail */
} Failure;

static const Failure read_failure = { "read", fail_reads_after, has_read_failed, TH_STATUS_IO,
                                      TRUE };
static const Failure memory_failure = { "memory", heap_fail_after, heap_has_failed,
                                        TH_STATUS_NO_MEMORY, FALSE };

typedef struct
{
  const Failure *failure;
  char *path;
} Case;

static void
case_free (gpointer data)
{
  Case *own = data;

  g_free (own->path);
  g_free (own);
}

typedef struct
{
  ThStatus status;
  GByteArray *pixels;
} Outcome;

static void
outcome_clear (Outcome *outcome)
{
  g_byte_array_unref (outcome->pixels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, outcome_clear)

static void
run (ThRender *render, Outcome *outcome)
{
  const ThRenderPlan *plan = th_render_plan (render);
  const ThSize size = th_fit (plan->full, BOX);
  const gsize stride = (gsize) size.width * plan->channels;
  ThImage image;

  g_byte_array_set_size (outcome->pixels, (guint) (stride * size.height));
  image = (ThImage){ size, plan->channels, stride, outcome->pixels->data };
  outcome->status = th_render_run (render, &image, NULL);
}

/* Opens and decodes, with failures from the one after count on. */
static Outcome
render_file (const Case *own, guint count)
{
  static const guint32 boxes[] = { BOX };
  const int fd = open (own->path, O_RDONLY | O_CLOEXEC);
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (ThRender) render = NULL;
  Outcome outcome = { TH_STATUS_OK, g_byte_array_new () };
  ThLimits limits;

  g_assert_nonnull (input);
  th_limits_init (&limits);
  own->failure->fail_after (count);
  outcome.status = th_render_open (input, &limits, boxes, 1, NULL, &render, NULL);
  if (outcome.status == TH_STATUS_OK)
    run (render, &outcome);
  close (fd);
  return outcome;
}

/* Where all of the picture had come already, what follows may be lost. */
static void
test_picture (gconstpointer data)
{
  const Case *own = data;
  g_auto (Outcome) whole = render_file (own, G_MAXUINT);
  guint failures = 0;

  if (whole.status != TH_STATUS_OK)
    {
      g_test_skip ("1 picture left out, which does not decode wholly anyway");
      return;
    }
  for (guint count = 0; count == failures; count++)
    {
      g_auto (Outcome) outcome = render_file (own, count);

      failures += own->failure->has_failed () ? 1 : 0;
      own->failure->fail_after (G_MAXUINT);
      if (outcome.status == TH_STATUS_OK)
        g_assert_cmpmem (outcome.pixels->data, outcome.pixels->len, whole.pixels->data,
                         whole.pixels->len);
      else
        g_assert_cmpint (outcome.status, ==, own->failure->expected);
    }
  if (own->failure->always)
    g_assert_cmpuint (failures, >, 0);
}

static void
add_case (const Failure *failure, const char *folder, const char *file)
{
  const char *kind = strrchr (folder, '/');
  g_autofree char *name = g_strconcat ("/failures/", failure->name, kind, "/", file, NULL);
  Case *own = g_new (Case, 1);

  *own = (Case){ failure, g_build_filename (folder, file, NULL) };
  g_test_add_data_func_full (name, own, test_picture, case_free);
}

/* Those of the codec's format that decode wholly. */
static void
add_folder (GTestFileType where, const char *folder, const char *suffix)
{
  g_autofree char *full = g_test_build_filename (where, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (full, 0, NULL);
  const char *file;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_has_suffix (file, suffix) || g_str_has_prefix (file, "partial-"))
        continue;
      add_case (&read_failure, full, file);
      if (heap_can_fail ())
        add_case (&memory_failure, full, file);
    }
}

/* More than heap-fail lets through, and less than a segment of JPEG holds. */
#define PROFILE_BYTES 20000u

typedef struct
{
  const char *seed; /* a picture without a profile */
  gsize place;      /* in it, for what follows */
  GByteArray *(*wrap) (const guint8 *profile, guint16 size);
} ProfileRow;

static void
append_number (GByteArray *out, guint32 value, gboolean big, gsize bytes)
{
  for (gsize i = 0; i < bytes; i++)
    {
      const gsize shift = 8 * (big ? bytes - 1 - i : i);
      const guint8 byte = (guint8) (value >> shift);

      g_byte_array_append (out, &byte, 1);
    }
}

static GByteArray *
wrap_jpeg (const guint8 *profile, guint16 size)
{
  static const guint8 name[] = "ICC_PROFILE\0\1\1";
  GByteArray *out = g_byte_array_new ();

  append_number (out, 0xffe2, TRUE, 2);
  append_number (out, 2u + sizeof name - 1 + size, TRUE, 2);
  g_byte_array_append (out, name, sizeof name - 1);
  return g_byte_array_append (out, profile, size);
}

/* One stored block of zlib; nobody asks for its sum, or the chunk's. */
static GByteArray *
wrap_png (const guint8 *profile, guint16 size)
{
  static const guint8 start[] = "iCCPname\0\0\x78\x01\x01";
  GByteArray *out = g_byte_array_new ();

  append_number (out, sizeof start - 1 - 4 + 4u + size, TRUE, 4);
  g_byte_array_append (out, start, sizeof start - 1);
  append_number (out, size, FALSE, 2);
  append_number (out, ~(guint32) size, FALSE, 2);
  g_byte_array_append (out, profile, size);
  append_number (out, 0, TRUE, 4);
  return out;
}

static GByteArray *
wrap_webp (const guint8 *profile, guint16 size)
{
  static const guint8 start[] = "VP8X\x0a\0\0\0\x20\0\0\0\0\0\0\0\0\0ICCP";
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, start, sizeof start - 1);
  append_number (out, size, FALSE, 4);
  return g_byte_array_append (out, profile, size);
}

static const ProfileRow profile_rows[] = {
  { "fuzz/corpus/jpeg/rgb.jpg", 2, wrap_jpeg },
  { "fuzz/corpus/png/rgb.png", 33, wrap_png },
  { "fuzz/corpus/webp/lossless.webp", 12, wrap_webp },
};

static GByteArray *
with_profile (const ProfileRow *row)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, row->seed, NULL);
  g_autofree guint8 *profile = g_malloc0 (PROFILE_BYTES);
  g_autofree char *seed = NULL;
  g_autoptr (GByteArray) wrapped = NULL;
  GByteArray *out = g_byte_array_new ();
  gsize size;

  g_assert_true (g_file_get_contents (path, &seed, &size, NULL));
  profile[2] = PROFILE_BYTES >> 8;
  profile[3] = PROFILE_BYTES & 255;
  wrapped = row->wrap (profile, PROFILE_BYTES);
  g_byte_array_append (out, (const guint8 *) seed, (guint) row->place);
  g_byte_array_append (out, wrapped->data, wrapped->len);
  g_byte_array_append (out, (const guint8 *) seed + row->place, (guint) (size - row->place));
  if (row->wrap == wrap_webp)
    {
      const guint32 length = GUINT32_TO_LE (out->len - 8);

      memcpy (out->data + 4, &length, sizeof length);
    }
  return out;
}

/* FALSE where nothing failed any more; the profile is there then. */
static gboolean
fails_as_no_memory (const GByteArray *file, guint count)
{
  g_autoptr (ThInput) input = th_input_new_bytes (file->data, file->len);
  const ThCodec *codec = th_codec_sniff (input);
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  gboolean failed;
  ThLimits limits;
  ThStatus status;

  th_limits_init (&limits);
  heap_fail_after (count);
  status = codec->open (input, &limits, &session, &error);
  failed = heap_has_failed ();
  heap_fail_after (G_MAXUINT);
  g_assert_cmpint (status, ==, failed ? TH_STATUS_NO_MEMORY : TH_STATUS_OK);
  if (failed)
    {
      g_assert_nonnull (error);
      return TRUE;
    }
  g_assert_cmpuint (codec->header (session)->icc_size, ==, PROFILE_BYTES);
  codec->close (session);
  return FALSE;
}

/* Without its profile a picture would be shown in wrong colours, and stay so. */
static void
test_profile (gconstpointer data)
{
  g_autoptr (GByteArray) file = with_profile (data);
  guint count = 0;

  while (fails_as_no_memory (file, count))
    count++;
  g_assert_cmpuint (count, >, 0);
}

static void
add_profiles (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (profile_rows); i++)
    {
      const char *folder = profile_rows[i].seed + strlen ("fuzz/corpus/");
      const gsize length = strcspn (folder, "/");
      g_autofree char *codec = g_strndup (folder, length);
      g_autofree char *name = g_strconcat ("/failures/profile/", codec, NULL);

      for (guint j = 0; th_codecs[j] != NULL; j++)
        if (strcmp (th_codecs[j]->name, codec) == 0)
          g_test_add_data_func (name, &profile_rows[i], test_profile);
    }
}

static void
test_without_memory_failures (void)
{
  g_test_skip ("this allocator cannot be replaced: memory never fails here");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; th_codecs[i] != NULL; i++)
    {
      g_autofree char *seeds = g_strconcat ("fuzz/corpus/", th_codecs[i]->name, NULL);
      g_autofree char *suffix = g_strconcat (".", th_codecs[i]->name, NULL);

      add_folder (G_TEST_DIST, seeds, "");
      add_folder (G_TEST_BUILT, "codecs/images/ok", suffix);
    }
  if (heap_can_fail ())
    add_profiles ();
  else
    g_test_add_func ("/failures/memory", test_without_memory_failures);
  return g_test_run ();
}
