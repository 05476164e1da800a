/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Icons and cursors of Windows, animated ones by their first frame: which of the pictures within to
 * take. What they hold is PNG or nearly BMP, and read by those codecs; the library there is would
 * always decode the largest, as a whole. */
#include "config.h"

#include "core/codecs/ico-dib.h"
#include "core/codecs/icon-file.h"

#define TABLE_BYTES   6u /* before the entries */
#define ENTRY_BYTES   16u
#define MOST_ENTRIES  ((TH_INPUT_WINDOW - TABLE_BYTES) / ENTRY_BYTES)
#define KIND_CURSOR   2u
#define CHUNK_BYTES   8u
#define LIST_BYTES    12u
#define MOST_CHUNKS   1000u
#define FIRST_CHUNK   12u
#define FRAMES_OFFSET 4u /* within the header of an animation */

#define LAYOUT_DIB 0u

typedef struct
{
  ThIconFile file;
  ThIcoDib dib;  /* where the open one is one */
  ThPlan colors; /* the part's own plan */
} IcoSession;

static const char *const mime_types[] = { "image/vnd.microsoft.icon",
                                          "image/x-icon",
                                          "image/x-ico",
                                          "image/ico",
                                          "image/icon",
                                          "application/ico",
                                          "text/ico",
                                          "image/x-win-bitmap",
                                          "image/x-win-cursor",
                                          "application/x-navi-animation",
                                          NULL };
#define TYPE_CURSOR    "image/x-win-bitmap"
#define TYPE_ANIMATION "application/x-navi-animation"

/* One bit of how many there are is set, since a TGA begins with the same but for that. */
#define CURSORS(bit)                                                                               \
  {                                                                                                \
    0, 5, "\0\0\2\0" bit, "\377\377\377\377" bit                                                   \
  }

static const ThMagic magic[] = {
  { 0, 4, "\0\0\1\0", NULL },
  CURSORS ("\1"),
  CURSORS ("\2"),
  CURSORS ("\4"),
  CURSORS ("\10"),
  CURSORS ("\20"),
  CURSORS ("\40"),
  CURSORS ("\100"),
  CURSORS ("\200"),
  { 0, 12, "RIFF\0\0\0\0ACON", "\377\377\377\377\0\0\0\0\377\377\377\377" },
  { 0 },
};

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_clear_error (error);
  g_set_error (error, TH_ERROR, th_status_to_error (status), "ICO: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

static gboolean
look_png (ThInput *input, ThIcon *icon)
{
  guint8 head[TH_ICON_PNG_HEAD];
  const gssize got = th_input_read (input, icon->offset, head, sizeof head);

  return th_icon_is_png ((ThBytes){ head, (gsize) MAX (got, 0) }, icon);
}

static gboolean
look_dib (ThInput *input, ThIcon *icon)
{
  ThIcoDib dib;

  if (!th_ico_dib_read (&dib, input, icon->offset))
    return FALSE;
  icon->layout = LAYOUT_DIB;
  icon->depth = dib.bits;
  icon->size = dib.size;
  return TRUE;
}

/* Sizes are those that the pictures say, since one byte of the table cannot say them all. So are
 * lengths, which writers get wrong. */
static ThStatus
read_table (IcoSession *session, guint64 start, GError **error)
{
  ThInput *input = session->file.base.input;
  guint16 kind = 0, count = 0;

  if (!th_bytes_u16 (th_input_peek (input, start, TABLE_BYTES), 2, FALSE, &kind)
      || !th_bytes_u16 (th_input_peek (input, start, TABLE_BYTES), 4, FALSE, &count))
    return fail (input, TH_STATUS_CORRUPT, error, "the table is cut");
  if (kind < 1 || kind > KIND_CURSOR || count == 0)
    return fail (input, TH_STATUS_NOT_MINE, error, NULL);
  if (kind == KIND_CURSOR)
    session->file.header.mime_type = TYPE_CURSOR;
  for (guint i = 0; i < MIN (count, MOST_ENTRIES); i++)
    {
      const guint64 at = start + TABLE_BYTES + i * ENTRY_BYTES;
      guint32 offset = 0;
      ThIcon icon = { .bytes = G_MAXUINT64 };

      if (!th_bytes_u32 (th_input_peek (input, at, ENTRY_BYTES), 12, FALSE, &offset))
        break;
      icon.offset = start + offset;
      if (look_png (input, &icon) || look_dib (input, &icon))
        th_icon_set_add (&session->file.set, &icon);
    }
  return session->file.set.n > 0
             ? TH_STATUS_OK
             : fail (input, TH_STATUS_CORRUPT, error, "no entry leads to a picture");
}

static ThStatus
open_dib (ThIconFile *file, const ThIcon *icon, GError **error)
{
  IcoSession *session = (IcoSession *) file;
  ThInput *input = file->base.input;

  if (!th_ico_dib_read (&session->dib, input, icon->offset))
    return fail (input, TH_STATUS_CORRUPT, error, NULL);
  return th_part_open (&file->part, th_ico_dib_input (&session->dib, input), NULL, &file->limits,
                       error);
}

/* Where the first frame of an animation begins: the first icon in the list of frames. 0: nowhere.
 */
static guint64
find_frame (IcoSession *session)
{
  ThInput *input = session->file.base.input;
  guint64 at = FIRST_CHUNK;

  for (guint i = 0; i < MOST_CHUNKS; i++)
    {
      const ThBytes head = th_input_peek (input, at, LIST_BYTES + CHUNK_BYTES);
      guint32 size;
      ThBytes list;

      if (!th_bytes_u32 (head, 4, FALSE, &size))
        return 0;
      if (th_bytes_starts_with (head, "icon", 4))
        return at + CHUNK_BYTES;
      if (th_bytes_starts_with (head, "anih", 4))
        th_bytes_u32 (head, CHUNK_BYTES + FRAMES_OFFSET, FALSE, &session->file.header.frames);
      if (th_bytes_starts_with (head, "LIST", 4) && th_bytes_slice (head, CHUNK_BYTES, 4, &list)
          && th_bytes_starts_with (list, "fram", 4))
        at += LIST_BYTES;
      else
        at += CHUNK_BYTES + (guint64) size + size % 2;
    }
  return 0;
}

static ThStatus
open_session (IcoSession *session, GError **error)
{
  ThInput *input = session->file.base.input;
  const gboolean animated = th_bytes_starts_with (th_input_peek (input, 0, CHUNK_BYTES), "RIFF", 4);
  guint64 start = 0;
  ThStatus status;

  session->file.header = (ThHeader){ .pages = 1, .frames = 1, .mime_type = mime_types[0] };
  if (animated)
    {
      start = find_frame (session);
      if (start == 0)
        return fail (input, TH_STATUS_CORRUPT, error, "there is no frame");
    }
  status = read_table (session, start, error);
  if (status != TH_STATUS_OK)
    return animated && status == TH_STATUS_NOT_MINE ? TH_STATUS_CORRUPT : status;
  if (animated)
    session->file.header.mime_type = TYPE_ANIMATION;
  if (th_input_failed (input))
    return fail (input, TH_STATUS_IO, error, NULL);
  return th_icon_file_open (&session->file, open_dib, error);
}

static void
ico_close (ThSession *base)
{
  th_part_clear (&((IcoSession *) base)->file.part);
  g_free (base);
}

static ThStatus
ico_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  IcoSession *session = g_new0 (IcoSession, 1);
  g_autoptr (GError) local = NULL;
  ThStatus status;

  session->file.base.input = input;
  session->file.limits = *limits;
  status = open_session (session, &local);
  if (status == TH_STATUS_OK)
    {
      *out = &session->file.base;
      return TH_STATUS_OK;
    }
  ico_close (&session->file.base);
  g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

static const ThHeader *
ico_header (const ThSession *base)
{
  return &((const IcoSession *) base)->file.header;
}

static gboolean
ico_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  IcoSession *session = (IcoSession *) base;

  if (!th_icon_file_choose (&session->file, open_dib, targets[0])
      || !th_part_plan (&session->file.part, targets, n_targets, &session->colors))
    return FALSE;
  *plan = session->colors;
  plan->peak_bytes += sizeof *session;
  if (session->file.open.layout == LAYOUT_DIB)
    th_ico_dib_plan (&session->dib, plan);
  return TRUE;
}

static ThStatus
decode_dib (IcoSession *session, ThSink *sink, GError **error)
{
  ThInput *input = session->file.base.input;
  ThStatus status = TH_STATUS_NO_MEMORY;
  ThIcoMask mask;

  if (th_ico_mask_init (&mask, &session->dib, input, &session->colors.raster, sink))
    status = th_part_decode (&session->file.part, &session->colors, &mask.sink, error);
  else
    fail (input, status, error, NULL);
  th_ico_mask_clear (&mask);
  return th_status_has_pixels (status) && th_input_failed (input)
             ? fail (input, TH_STATUS_IO, error, NULL)
             : status;
}

static ThStatus
ico_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  IcoSession *session = (IcoSession *) base;

  if (session->file.open.layout == LAYOUT_DIB)
    return decode_dib (session, sink, error);
  return th_part_decode (&session->file.part, &session->colors, sink, error);
}

const ThCodec th_codec_ico = {
  .abi = TH_CODEC_ABI,
  .name = "ico",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = ico_open,
  .header = ico_header,
  .plan = ico_plan,
  .decode = ico_decode,
  .close = ico_close,
};
