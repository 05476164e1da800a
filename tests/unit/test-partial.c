/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-partial.h"

static const char *const partial[] = {
  "a.jpg.part",
  "a.part",
  "A.JPG.PART",
  "b.png.crdownload",
  "Unconfirmed 1234.crdownload",
  "c.opdownload",
  "d.mp4.!qB",
  "d.mp4.!ut",
  "d.mp4.bc!",
  "e.mkv.part.ytdl",
  "f.filepart",
  ".goutputstream-A1B2C3",
  ".syncthing.photo.jpg.tmp",
  "~syncthing~photo.jpg.tmp",
  ".com.google.Chrome.a1B2c3",
};

static const char *const complete[] = {
  "",
  "part",
  ".part",
  "a.part.jpg",
  "a.parts",
  "apart",
  "a.tmp",
  "a.qb",
  "a.jpg",
  ".goutputstream-",
  "goutputstream-A1B2C3",
  ".syncthing.tmp",
  ".syncthing.photo.jpg",
  "syncthing.photo.jpg.tmp",
  "download",
  "\xff\xfe",
};

static void
test_names (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (partial); i++)
    {
      g_test_message ("%s", partial[i]);
      g_assert_nonnull (th_partial_writer (partial[i]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (complete); i++)
    {
      g_test_message ("%s", complete[i]);
      g_assert_cmpstr (th_partial_writer (complete[i]), ==, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/partial/names", test_names);
  return g_test_run ();
}
