/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPM 3 by gdk-pixbuf, which knows the names of colours. Its way in for files needs a temporary
 * one, so that it gets the strings, as if they were compiled in. What it would complain of, or
 * leave unwritten, is found before. */
#include "config.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "core/th-codec.h"

/* Of a file, which is held in memory. */
#define MAX_BYTES        (64u * 1024u * 1024u)
#define FIXED_BYTES      (1024u * 1024u)
#define BYTES_PER_COLOR  256u /* the library's entry, its name, and what finds it */
#define MOST_COLOR_CHARS 31u
/* Of a colour's line beside its characters: quotes, a space, a key, a name. */
#define LEAST_COLOR_BYTES 2u

typedef struct
{
  ThSession base;
  ThHeader header;
  guint32 n_colors;
  guint32 color_chars; /* characters a pixel */
} XpmSession;

/* The file in memory, cut into its strings. */
typedef struct
{
  char *text;
  const char **strings; /* NULL-terminated */
  gsize n;
} Strings;

static const char *const mime_types[] = { "image/x-xpixmap", "image/x-xpm", "image/xpm", NULL };

static const ThMagic magic[] = { { 0, 9, "/* XPM */", NULL }, { 0 } };

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "XPM: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

/* The first quote from at that is in no comment, or size. */
static gsize
find_quote (const char *text, gsize size, gsize at)
{
  gboolean comment = FALSE;

  for (; at < size; at++)
    {
      const gboolean pair = at + 1 < size && (text[at] == '/' || text[at] == '*');

      if (!comment && text[at] == '"')
        return at;
      if (pair && text[at] == (comment ? '*' : '/') && text[at + 1] == (comment ? '/' : '*'))
        {
          comment = !comment;
          at++;
        }
    }
  return size;
}

/* The next string from *at, without its quotes; FALSE where there is no more. */
static gboolean
next_string (const char *text, gsize size, gsize *at, gsize *start, gsize *length)
{
  const gsize open = find_quote (text, size, *at);
  const char *close = open < size ? memchr (text + open + 1, '"', size - open - 1) : NULL;

  if (close == NULL)
    return FALSE;
  *start = open + 1;
  *length = (gsize) (close - text) - *start;
  *at = *start + *length + 1;
  return TRUE;
}

/* Four numbers and whatever else. */
static gboolean
read_numbers (const char *text, gsize length, guint32 *numbers)
{
  g_autofree char *copy = g_strndup (text, MIN (length, 256));
  const char *at = copy;

  for (guint i = 0; i < 4; i++)
    {
      char *end;
      guint64 value;

      while (g_ascii_isspace (*at))
        at++;
      if (!g_ascii_isdigit (*at))
        return FALSE;
      value = g_ascii_strtoull (at, &end, 10);
      if (value > G_MAXINT32)
        return FALSE;
      numbers[i] = (guint32) value;
      at = end;
    }
  return TRUE;
}

static ThStatus
read_header (XpmSession *session, const ThLimits *limits, GError **error)
{
  ThInput *input = session->base.input;
  const guint64 size = th_input_size (input);
  const ThBytes head = th_input_peek (input, 0, TH_INPUT_WINDOW);
  gsize at = magic[0].length, start, length;
  guint32 numbers[4];

  if (!next_string ((const char *) head.data, head.size, &at, &start, &length)
      || !read_numbers ((const char *) head.data + start, length, numbers))
    return fail (input, TH_STATUS_CORRUPT, error, "the header is cut or broken");
  session->header.size = (ThSize){ numbers[0], numbers[1] };
  session->n_colors = numbers[2];
  session->color_chars = numbers[3];
  if (session->n_colors == 0 || session->color_chars == 0 || session->color_chars > MOST_COLOR_CHARS
      || session->n_colors > size / (session->color_chars + LEAST_COLOR_BYTES))
    return fail (input, TH_STATUS_CORRUPT, error, "the number of colours cannot be");
  if (size > MAX_BYTES)
    return fail (input, TH_STATUS_TOO_LARGE, error, "the file is too large");
  return th_limits_check_size (limits, numbers[0], numbers[1], error);
}

static void
xpm_close (ThSession *base)
{
  g_free (base);
}

static ThStatus
xpm_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  XpmSession *session = g_new0 (XpmSession, 1);
  ThStatus status;

  session->base.input = input;
  session->header = (ThHeader){
    .orientation = 1, .has_alpha = TRUE, .pages = 1, .frames = 1, .mime_type = mime_types[0]
  };
  status = read_header (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    xpm_close (&session->base);
  return status;
}

static const ThHeader *
xpm_header (const ThSession *base)
{
  return &((const XpmSession *) base)->header;
}

/* Strings that are of use: the header, colours, rows. Each takes two quotes. */
static gsize
most_strings (const XpmSession *session)
{
  const guint64 useful = 1 + (guint64) session->n_colors + session->header.size.height;
  const guint64 there = th_input_size (session->base.input) / 2;

  return (gsize) MIN (useful, there);
}

static gboolean
xpm_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const XpmSession *session = (const XpmSession *) base;
  const ThSize size = session->header.size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height, TH_COLOR_RGB, TH_ALPHA_STRAIGHT,
                8 },
    .peak_bytes = FIXED_BYTES + th_input_size (base->input)
                  + (most_strings (session) + 1) * sizeof (char *)
                  + (guint64) session->n_colors * BYTES_PER_COLOR
                  + (guint64) size.width * 4 * (size.height + G_GUINT64_CONSTANT (1)),
  };
  return TRUE;
}

static void
strings_clear (Strings *strings)
{
  g_free (strings->strings);
  g_free (strings->text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Strings, strings_clear)

static ThStatus
read_strings (const XpmSession *session, Strings *strings)
{
  ThInput *input = session->base.input;
  const gsize most = most_strings (session);
  gsize at = magic[0].length, start, length;
  gssize got;

  strings->text = g_try_malloc ((gsize) th_input_size (input) + 1);
  strings->strings = g_try_malloc_n (most + 1, sizeof *strings->strings);
  if (strings->text == NULL || strings->strings == NULL)
    return TH_STATUS_NO_MEMORY;
  got = th_input_read (input, 0, strings->text, (gsize) th_input_size (input));
  if (got < 0)
    return TH_STATUS_IO;
  while (strings->n < most && next_string (strings->text, (gsize) got, &at, &start, &length))
    {
      strings->text[start + length] = '\0';
      strings->strings[strings->n++] = strings->text + start;
    }
  strings->strings[strings->n] = NULL;
  return strings->n > session->n_colors ? TH_STATUS_OK : TH_STATUS_CORRUPT;
}

/* Rows from the top that are as long as they have to be. The library refuses all of a picture with
 * others, or leaves these as they are in memory. */
static guint32
count_rows (const XpmSession *session, const Strings *strings)
{
  const guint64 wanted = (guint64) session->header.size.width * session->color_chars;
  gsize n = 1 + (gsize) session->n_colors;

  while (n < strings->n && strlen (strings->strings[n]) >= wanted)
    n++;
  return (guint32) (n - 1 - session->n_colors);
}

static ThStatus
push_rows (const GdkPixbuf *pixbuf, const ThRaster *raster, ThSink *sink)
{
  const guint32 n = (guint32) gdk_pixbuf_get_height (pixbuf);
  const guint8 *pixels = gdk_pixbuf_read_pixels (pixbuf);
  const gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  const gsize channels = (gsize) gdk_pixbuf_get_n_channels (pixbuf);
  g_autofree guint8 *row = g_try_malloc (th_raster_row_bytes (raster));

  if (row == NULL)
    return TH_STATUS_NO_MEMORY;
  for (guint32 y = 0; y < n; y++)
    {
      for (gsize x = 0; x < raster->width; x++)
        {
          row[4 * x + 3] = 255;
          memcpy (row + 4 * x, pixels + y * stride + x * channels, channels);
        }
      if (!sink->rows (sink, row, th_raster_row_bytes (raster), 1))
        return TH_STATUS_STOPPED;
    }
  return n == raster->height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
}

/* The first n rows. Nothing is said besides the numbers, such as half a hot spot. */
static GdkPixbuf *
load (const XpmSession *session, Strings *strings, guint32 n)
{
  const guint32 width = session->header.size.width;
  g_autofree char *head =
      g_strdup_printf ("%u %u %u %u", width, n, session->n_colors, session->color_chars);
  GdkPixbuf *pixbuf;

  strings->strings[0] = head;
  pixbuf = gdk_pixbuf_new_from_xpm_data (strings->strings);
  strings->strings[0] = NULL;
  if (pixbuf != NULL
      && ((guint) gdk_pixbuf_get_width (pixbuf) != width
          || (guint) gdk_pixbuf_get_height (pixbuf) != n))
    g_clear_object (&pixbuf);
  return pixbuf;
}

static ThStatus
xpm_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const XpmSession *session = (const XpmSession *) base;
  g_auto (Strings) strings = { 0 };
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  ThStatus status = read_strings (session, &strings);
  guint32 n;

  if (status != TH_STATUS_OK)
    return fail (base->input, status, error, NULL);
  n = count_rows (session, &strings);
  if (n == 0)
    return fail (base->input, TH_STATUS_CORRUPT, error, "there is not one whole row");
  pixbuf = load (session, &strings, n);
  if (pixbuf == NULL)
    return fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  status = push_rows (pixbuf, &plan->raster, sink);
  return status != TH_STATUS_NO_MEMORY ? status : fail (base->input, status, error, NULL);
}

/* The loader is a library of its own, which the first picture loads. */
static gboolean
xpm_prepare (GError **error)
{
  const char *strings[] = { "1 1 1 1", "a c red", "a", NULL };
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_xpm_data (strings);

  if (pixbuf == NULL)
    g_set_error_literal (error, TH_ERROR, TH_ERROR_OTHER, "gdk-pixbuf has no loader for XPM");
  return pixbuf != NULL;
}

const ThCodec th_codec_xpm = {
  .abi = TH_CODEC_ABI,
  .name = "xpm",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .prepare = xpm_prepare,
  .open = xpm_open,
  .header = xpm_header,
  .plan = xpm_plan,
  .decode = xpm_decode,
  .close = xpm_close,
};
