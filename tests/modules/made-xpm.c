/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "made.h"

#define HEAD "/* XPM */\nstatic char *a[] = {\n"
#define BODY "\"r b.g\",\n\" bgrr\",\n\"rrrrr\"\n"
#define TAIL "};\n"
#define COLORS                                                                                     \
  "\"r c #ff0000\",\n\"g c #00FF00\",\n\"b c blue\",\n\"  c None\",\n\". c LightSteelBlue\",\n"

typedef struct
{
  const char *name;
  const char *text;
  guint32 rows; /* of the picture that is drawn here; 0: not compared */
  ThStatus expected;
} Spec;

static const Spec specs[] = {
  { "plain", HEAD "\"5 3 5 1\",\n" COLORS BODY TAIL, 3, TH_STATUS_OK },
  { "hot-spot", HEAD "\"5 3 5 1 1 2\",\n" COLORS BODY TAIL, 3, TH_STATUS_OK },
  { "half-hot-spot", HEAD "\"5 3 5 1 1\",\n" COLORS BODY TAIL, 3, TH_STATUS_OK },
  { "extensions", HEAD "\"5 3 5 1 XPMEXT\",\n" COLORS BODY ",\"XPMEXT a\"" TAIL, 3, TH_STATUS_OK },
  { "comments",
    HEAD "/* a \"1 1 1 1\" */ \"  5\t3 5 1 \", // /* colours */\n" COLORS "/**/" BODY TAIL, 3,
    TH_STATUS_OK },
  { "one-line", "/* XPM */ char*a[]={\"5 3 5 1\"," COLORS BODY "}", 3, TH_STATUS_OK },
  { "long-rows", HEAD "\"5 3 5 1\"," COLORS "\"r b.gr\",\" bgrrrr\",\"rrrrr \"" TAIL, 3,
    TH_STATUS_OK },
  { "more-rows", HEAD "\"5 3 5 1\"," COLORS BODY ",\"bbbbb\"" TAIL, 3, TH_STATUS_OK },
  { "keys",
    HEAD "\"5 3 5 1\",\"r m black g gray c red\",\"g s x c lime g4 white\",\"b c #00000000ffff\","
         "\"  s none m white c none\",\". c #b0c4de m black\"," BODY TAIL,
    3, TH_STATUS_OK },
  /* Unknown names show nothing, like the library's own way in. */
  { "unknown-name", HEAD "\"2 1 2 1\",\"a c nonesuch\",\"b c red\",\"ab\"" TAIL, 0, TH_STATUS_OK },
  { "unknown-pixel", HEAD "\"2 1 1 1\",\"a c red\",\"a?\"" TAIL, 0, TH_STATUS_OK },
  { "two-characters", HEAD "\"2 1 2 2\",\"aa c red\",\"ab c #123456\",\"aaab\"" TAIL, 0,
    TH_STATUS_OK },
  { "partial", HEAD "\"5 9 5 1\"," COLORS BODY TAIL, 3, TH_STATUS_PARTIAL },
  { "partial-row", HEAD "\"5 9 5 1\"," COLORS BODY ",\"rrr\",\"rrrrr\"" TAIL, 3,
    TH_STATUS_PARTIAL },
  { "partial-cut", HEAD "\"5 9 5 1\"," COLORS BODY ",\"rrrrr", 3, TH_STATUS_PARTIAL },
  { "no-rows", HEAD "\"5 3 5 1\"," COLORS TAIL, 0, TH_STATUS_CORRUPT },
  { "few-colors", HEAD "\"5 3 6 1\"," COLORS TAIL, 0, TH_STATUS_CORRUPT },
  { "bomb-colors", HEAD "\"5 3 2000000000 1\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "bomb-size", HEAD "\"2000000000 2000000000 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_TOO_LARGE },
  { "bomb-row", HEAD "\"1000000 1 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "bomb-column", HEAD "\"1 60000000 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_PARTIAL },
  { "bomb-number", HEAD "\"5 99999999999999999999 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "zero", HEAD "\"5 0 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "negative", HEAD "\"-5 3 5 1\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "no-colors", HEAD "\"5 3 0 1\"," BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "no-characters", HEAD "\"5 3 5 0\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "many-characters", HEAD "\"5 3 1 32\"," COLORS BODY TAIL, 0, TH_STATUS_CORRUPT },
  { "no-header", HEAD TAIL, 0, TH_STATUS_CORRUPT },
  { "no-quote", HEAD "\"5 3 5 1", 0, TH_STATUS_CORRUPT },
  { "only-a-comment", "/* XPM */ /* \"5 3 5 1\"", 0, TH_STATUS_CORRUPT },
  { "other-version", "! XPM2\n5 3 5 1\n", 0, TH_STATUS_NOT_MINE },
};

static Picture *
draw (guint32 height, guint32 rows)
{
  static const char *const drawn[] = { "r b.g", " bgrr", "rrrrr" };
  static const struct
  {
    char name;
    guint8 rgba[4];
  } colors[] = { { 'r', { 255, 0, 0, 255 } },
                 { 'g', { 0, 255, 0, 255 } },
                 { 'b', { 0, 0, 255, 255 } },
                 { ' ', { 0, 0, 0, 0 } },
                 { '.', { 176, 196, 222, 255 } } };
  Picture *picture = picture_new ((ThSize){ 5, height });

  picture->rows = rows;
  for (guint32 y = 0; y < rows; y++)
    for (guint32 x = 0; x < 5; x++)
      for (gsize i = 0; i < G_N_ELEMENTS (colors); i++)
        if (colors[i].name == drawn[y][x])
          memcpy (picture->rgba + ((gsize) y * 5 + x) * 4, colors[i].rgba, 4);
  return picture;
}

static void
add (GPtrArray *pictures, const char *name, const char *text, gsize length, ThStatus expected,
     Picture *drawn)
{
  Made *made = made_new (g_strdup (name), expected, drawn, 0);

  g_byte_array_append (made->data, (const guint8 *) text, (guint) length);
  g_ptr_array_add (pictures, made);
}

/* More colours than most programs write, and all of them used. */
static void
add_large (GPtrArray *pictures)
{
  const ThSize size = { 300, 200 };
  GString *text = g_string_new (HEAD "\"300 200 60000 4\",\n");
  Picture *drawn = made_drawing (size, FALSE, FALSE);

  for (guint i = 0; i < size.width * size.height; i++)
    g_string_append_printf (text, "\"%04x c #%02x%02x%02x\",\n", i, drawn->rgba[4 * i],
                            drawn->rgba[4 * i + 1], drawn->rgba[4 * i + 2]);
  for (guint y = 0; y < size.height; y++)
    {
      g_string_append_c (text, '"');
      for (guint x = 0; x < size.width; x++)
        g_string_append_printf (text, "%04x", y * size.width + x);
      g_string_append (text, "\",\n");
    }
  g_string_append (text, TAIL);
  add (pictures, "large", text->str, text->len, TH_STATUS_OK, drawn);
  g_string_free (text, TRUE);
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      const Spec *spec = &specs[i];
      const guint32 height = spec->expected == TH_STATUS_PARTIAL ? 9 : 3;

      add (pictures, spec->name, spec->text, strlen (spec->text), spec->expected,
           spec->rows > 0 ? draw (height, spec->rows) : NULL);
    }
  add (pictures, "zero-byte", HEAD "\"5 3 5 1\"," COLORS "\"r b\0g\",\" bgrr\"" TAIL,
       sizeof HEAD "\"5 3 5 1\"," COLORS "\"r b\0g\",\" bgrr\"" TAIL - 1, TH_STATUS_CORRUPT, NULL);
  add_large (pictures);
  return pictures;
}
