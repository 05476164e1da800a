/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X bitmaps, which are C: two sizes, and an array of bytes or, in X10, of pairs of them, lowest bit
 * first. gdk-pixbuf writes them to a temporary file before it reads them. */
#include "config.h"

#include <string.h>

#include "core/codecs/text.h"
#include "core/th-codec.h"

/* Of what stands before the array. */
#define HEAD_MOST_BYTES 65536u
#define WORD_BYTES      128u
#define SMALL_BYTES     4096u /* an error, and what the heap rounds up */

typedef struct
{
  ThSession base;
  ThHeader header;
  guint value_bits; /* 8, or 16 in X10 */
  guint64 array;    /* offset of what follows the brace */
} XbmSession;

static const char *const mime_types[] = { "image/x-xbitmap", "image/x-xbm", "image/xbm", NULL };

static const ThMagic magic[] = { { 0, 8, "#define ", NULL }, { 0, 2, "/*", NULL }, { 0 } };

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "XBM: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

/* Behind the slash: up to the end of the comment, if it is one. */
static void
skip_comment (ThText *text)
{
  int last = 0, c;

  if (th_text_look (text) != '*')
    return;
  th_text_take (text);
  while ((c = th_text_take (text)) >= 0 && !(last == '*' && c == '/'))
    last = c;
}

static void
skip_space (ThText *text)
{
  int c;

  while (th_text_is_space (c = th_text_look (text)) || c == '/')
    {
      th_text_take (text);
      if (c == '/')
        skip_comment (text);
    }
}

static gboolean
ends_word (int c)
{
  return c < 0 || th_text_is_space (c) || (strchr ("/{}[]=,;", c) != NULL);
}

/* A word, cut to WORD_BYTES, or one of the characters that end words. FALSE at the end. */
static gboolean
take_word (ThText *text, char *word)
{
  gsize length = 0;

  skip_space (text);
  if (th_text_look (text) < 0)
    return FALSE;
  do
    {
      const char c = (char) th_text_take (text);

      if (length + 1 < WORD_BYTES)
        word[length++] = c;
    }
  while (!ends_word (word[0]) && !ends_word (th_text_look (text)));
  word[length] = '\0';
  return TRUE;
}

/* As in C: decimal, or hexadecimal behind 0x. */
static gboolean
to_number (const char *word, guint32 most, guint32 *number)
{
  const gboolean hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  guint64 value;

  if (!g_ascii_string_to_unsigned (hex ? word + 2 : word, hex ? 16 : 10, 0, most, &value, NULL))
    return FALSE;
  *number = (guint32) value;
  return TRUE;
}

/* One #define, of which only the sizes count. FALSE where a size is no number. */
static gboolean
read_define (ThText *text, ThSize *size)
{
  char name[WORD_BYTES], value[WORD_BYTES];
  const gboolean there = take_word (text, name) && take_word (text, value);

  if (there && g_str_has_suffix (name, "width"))
    return to_number (value, G_MAXINT32, &size->width);
  if (there && g_str_has_suffix (name, "height"))
    return to_number (value, G_MAXINT32, &size->height);
  return TRUE;
}

/* Up to the brace: #define lines, then a declaration with the word short or char in it. */
static ThStatus
read_head (XbmSession *session, ThText *text, const char **trouble)
{
  ThSize *size = &session->header.size;
  char word[WORD_BYTES];
  gboolean defined = FALSE;

  session->value_bits = 0;
  while (take_word (text, word) && strcmp (word, "{") != 0)
    {
      *trouble = "a size is no number";
      if (strcmp (word, "#define") == 0 && !read_define (text, size))
        return TH_STATUS_CORRUPT;
      defined = defined || strcmp (word, "#define") == 0;
      if (strcmp (word, "char") == 0)
        session->value_bits = 8;
      if (strcmp (word, "short") == 0)
        session->value_bits = 16;
    }
  *trouble = "there is no array";
  if (!defined || strcmp (word, "{") != 0 || session->value_bits == 0)
    return defined && size->width > 0 ? TH_STATUS_CORRUPT : TH_STATUS_NOT_MINE;
  session->array = text->offset + text->at;
  return TH_STATUS_OK;
}

static void
xbm_close (ThSession *base)
{
  g_free (base);
}

static ThStatus
xbm_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  XbmSession *session = g_new0 (XbmSession, 1);
  ThText text = { .input = input, .end = HEAD_MOST_BYTES };
  const char *trouble = NULL;
  ThStatus status;

  session->base.input = input;
  session->header =
      (ThHeader){ .orientation = 1, .pages = 1, .frames = 1, .mime_type = mime_types[0] };
  status = read_head (session, &text, &trouble);
  if (status != TH_STATUS_OK)
    status = fail (input, status, error, trouble);
  else
    status = th_limits_check_size (limits, session->header.size.width, session->header.size.height,
                                   error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    xbm_close (&session->base);
  return status;
}

static const ThHeader *
xbm_header (const ThSession *base)
{
  return &((const XbmSession *) base)->header;
}

static gboolean
xbm_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const XbmSession *session = (const XbmSession *) base;
  const ThSize size = session->header.size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height, TH_COLOR_GREY, TH_ALPHA_NONE, 8 },
    .peak_bytes = sizeof *session + SMALL_BYTES + size.width,
  };
  return TRUE;
}

static gboolean
next_value (ThText *text, guint32 *value)
{
  char word[WORD_BYTES];

  do
    if (!take_word (text, word))
      return FALSE;
  while (strcmp (word, ",") == 0);
  return to_number (word, G_MAXUINT16, value);
}

static gboolean
fill_row (const XbmSession *session, ThText *text, guint8 *row)
{
  const guint32 width = session->header.size.width;
  guint32 value = 0;

  for (guint32 x = 0; x < width; x++)
    {
      if (x % session->value_bits == 0 && !next_value (text, &value))
        return FALSE;
      row[x] = (value >> x % session->value_bits & 1) != 0 ? 0 : 255;
    }
  return TRUE;
}

static ThStatus
xbm_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const XbmSession *session = (const XbmSession *) base;
  ThText text = { .input = base->input, .end = G_MAXUINT64, .offset = session->array };
  g_autofree guint8 *row = g_try_malloc (plan->raster.width);
  guint32 y = 0;

  if (row == NULL)
    return fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  for (; y < plan->raster.height && fill_row (session, &text, row); y++)
    if (!sink->rows (sink, row, plan->raster.width, 1))
      return TH_STATUS_STOPPED;
  if (y > 0 && (y == plan->raster.height || !th_input_failed (base->input)))
    return y == plan->raster.height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
  return fail (base->input, TH_STATUS_CORRUPT, error, "there is not one whole row");
}

const ThCodec th_codec_xbm = {
  .abi = TH_CODEC_ABI,
  .name = "xbm",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = xbm_open,
  .header = xbm_header,
  .plan = xbm_plan,
  .decode = xbm_decode,
  .close = xbm_close,
};
