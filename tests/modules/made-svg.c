/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <gio/gio.h>
#include <string.h>

#include "made.h"

#define SIDE 64u
#define HEAD "<svg xmlns=\"http://www.w3.org/2000/svg\" " SIZE
#define SIZE "width=\"64\" height=\"64\" viewBox=\"0 0 64 64\">"
#define TAIL "</svg>"

typedef enum
{
  LEFT_RED, /* the left half red, the right half transparent */
  RED,      /* all of it */
  EMPTY,
  ANYTHING,
} Drawn;

typedef struct
{
  const char *name;
  const char *text;
  Drawn drawn;
  ThStatus expected;
  gboolean packed;
} Spec;

#define HALF "<rect width=\"32\" height=\"64\" fill=\"#f00\"/>"

static const Spec specs[] = {
  { "half", HEAD HALF TAIL, LEFT_RED, TH_STATUS_OK },
  { "declared", "<?xml version=\"1.0\"?>\n<!-- a comment -->\n" HEAD HALF TAIL, LEFT_RED },
  { "prefixed",
    "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\" " SIZE
    "<s:rect width=\"32\" height=\"64\" fill=\"#f00\"/></s:svg>",
    LEFT_RED },
  { "packed", HEAD HALF TAIL, LEFT_RED, .packed = TRUE },
  { "style", HEAD "<style>rect { fill: #f00 }</style><rect width=\"32\" height=\"64\"/>" TAIL,
    LEFT_RED },
  { "gradient",
    HEAD "<linearGradient id=\"g\"><stop stop-color=\"#f00\"/></linearGradient>"
         "<rect width=\"64\" height=\"64\" fill=\"url(#g)\"/>" TAIL,
    RED },
  /* In threads of the library's. */
  { "filter",
    HEAD "<filter id=\"f\"><feGaussianBlur stdDeviation=\"4\"/></filter>"
         "<rect width=\"64\" height=\"64\" fill=\"#f00\" filter=\"url(#f)\"/>" TAIL,
    ANYTHING },
  { "text", HEAD "<text y=\"40\" font-size=\"40\" font-family=\"serif\">\303\244g</text>" TAIL,
    ANYTHING },
  /* None of it is loaded. */
  { "file", HEAD "<image href=\"file:///etc/hostname\" width=\"64\" height=\"64\"/>" TAIL, EMPTY },
  { "path", HEAD "<image href=\"/etc/hostname\" width=\"64\" height=\"64\"/>" TAIL, EMPTY },
  { "network", HEAD "<image href=\"http://127.0.0.1/a.png\" width=\"64\" height=\"64\"/>" TAIL,
    EMPTY },
  { "other-document", HEAD "<use href=\"other.svg#a\"/>" TAIL, EMPTY },
  { "import", HEAD "<style>@import url(\"file:///etc/passwd\");</style>" HALF TAIL, LEFT_RED },
  { "entity",
    "<!DOCTYPE svg [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" HEAD "<text>&e;</text>" HALF TAIL,
    ANYTHING, TH_STATUS_CORRUPT },
  { "include",
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:x=\"http://www.w3.org/2001/XInclude\" " SIZE
    "<x:include href=\"file:///etc/passwd\" parse=\"text\"/>" HALF TAIL,
    LEFT_RED },
  { "script", HEAD "<script>for(;;);</script>" HALF TAIL, LEFT_RED },
  /* Drawn from itself. */
  { "loop", HEAD "<g id=\"a\"><use href=\"#a\"/></g>" TAIL, ANYTHING },
  { "no-size", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\"></svg>", EMPTY,
    TH_STATUS_NO_CONTENT },
  { "no-xml", "<svg this is none", EMPTY, TH_STATUS_CORRUPT },
  { "other-xml", "<?xml version=\"1.0\"?><html></html>", EMPTY, TH_STATUS_NOT_MINE },
  { "other-root", "<html><svg/></html>", EMPTY, TH_STATUS_CORRUPT },
};

static Picture *
draw (Drawn drawn)
{
  static const guint8 red[] = { 255, 0, 0, 255 };
  const guint32 width = drawn == RED ? SIDE : drawn == LEFT_RED ? SIDE / 2 : 0;
  Picture *picture;

  if (drawn == ANYTHING)
    return NULL;
  picture = picture_new ((ThSize){ SIDE, SIDE });
  picture->rows = SIDE;
  for (guint32 y = 0; y < SIDE; y++)
    for (guint32 x = 0; x < width; x++)
      memcpy (picture->rgba + ((gsize) y * SIDE + x) * 4, red, sizeof red);
  return picture;
}

static void
pack (GByteArray *data)
{
  GZlibCompressor *compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  guint8 packed[4096];
  gsize read, written;

  g_assert_cmpint (g_converter_convert (G_CONVERTER (compressor), data->data, data->len, packed,
                                        sizeof packed, G_CONVERTER_INPUT_AT_END, &read, &written,
                                        NULL),
                   ==, G_CONVERTER_FINISHED);
  g_byte_array_set_size (data, 0);
  g_byte_array_append (data, packed, (guint) written);
  g_object_unref (compressor);
}

static Made *
add (GPtrArray *pictures, const char *name, const char *text, ThStatus expected, Picture *drawn)
{
  Made *made = made_new (g_strdup (name), expected, drawn, 0);

  g_byte_array_append (made->data, (const guint8 *) text, (guint) strlen (text));
  g_ptr_array_add (pictures, made);
  return made;
}

static char *
repeat (const char *text, guint n)
{
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (all, text);
  return g_string_free (all, FALSE);
}

/* Deeper than any program draws, more of it than anybody looks at, and what grows by itself. */
static void
add_bombs (GPtrArray *pictures)
{
  g_autofree char *groups = repeat ("<g>", 20000);
  g_autofree char *deep = g_strconcat (HEAD, groups, NULL);
  g_autofree char *spaces = repeat (" ", 100000);
  g_autofree char *late = g_strconcat (spaces, HEAD HALF TAIL, NULL);

  add (pictures, "bomb-depth", deep, TH_STATUS_CORRUPT, NULL);
  add (pictures, "bomb-entities",
       "<!DOCTYPE svg [<!ENTITY a \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">"
       "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"
       "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;\">"
       "<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;\"><!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;\">]>" HEAD
       "<text>&g;</text>" TAIL,
       TH_STATUS_CORRUPT, NULL);
  add (pictures, "late", late, TH_STATUS_NOT_MINE, NULL);
}

/* Documents that are much longer than wide: nothing of a thumbnail is left empty. */
static void
add_strips (GPtrArray *pictures)
{
  static const struct
  {
    const char *name;
    const char *size;
  } rows[] = {
    { "strip", "width=\"600\" height=\"2\" viewBox=\"0 0 600 2\"" },
    { "strip-tall", "width=\"3\" height=\"400\" viewBox=\"0 0 3 400\"" },
    { "strip-box", "viewBox=\"0 0 5000 1\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
          g_strconcat ("<svg xmlns=\"http://www.w3.org/2000/svg\" ", rows[i].size,
                       "><rect width=\"5000\" height=\"5000\" fill=\"#f00\"/></svg>", NULL);

      add (pictures, rows[i].name, text, TH_STATUS_OK, NULL)->plain = 0xff0000ff;
    }
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      const gboolean shown = th_status_has_pixels (specs[i].expected);
      Made *made = add (pictures, specs[i].name, specs[i].text, specs[i].expected,
                        shown ? draw (specs[i].drawn) : NULL);

      if (specs[i].packed)
        pack (made->data);
    }
  add_strips (pictures);
  add_bombs (pictures);
  return pictures;
}
