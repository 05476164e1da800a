/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenRaster, Krita and OpenDocument: ZIP files, in which a PNG shows the whole, or a smaller one.
 * These programs store it as it is, so that it is read in place, and the directory is gone through
 * without being kept: that takes no library, and no memory in proportion to the file. */
#include "config.h"

#include <string.h>

#include "core/codecs/zip-stream.h"
#include "core/th-part.h"

#define N_CANDIDATES 2u
#define SMALL_BYTES  4096u /* an error, and what the heap rounds up */
#define TOLERANCE    100u  /* sides may differ by one in so many, or one pixel */

/* A picture that is open. */
typedef struct
{
  ThPart part;
  ThZipStream *stream; /* owned; what it is read from, or NULL */
} Shown;

typedef struct
{
  ThSession base;
  ThHeader header;
  ThLimits limits;
  ThZipEntry entries[N_CANDIDATES];
  Shown shown;
  gboolean reduced; /* the whole cannot be opened, or something smaller serves */
} OraSession;

static const char *const mime_types[] = {
  "image/openraster",
  "application/x-krita",
  "application/vnd.oasis.opendocument.text",
  "application/vnd.oasis.opendocument.text-template",
  "application/vnd.oasis.opendocument.text-master",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.oasis.opendocument.spreadsheet-template",
  "application/vnd.oasis.opendocument.presentation",
  "application/vnd.oasis.opendocument.presentation-template",
  "application/vnd.oasis.opendocument.graphics",
  "application/vnd.oasis.opendocument.graphics-template",
  "application/vnd.oasis.opendocument.chart",
  "application/vnd.oasis.opendocument.formula",
  "application/vnd.oasis.opendocument.image",
  NULL,
};

/* Of the first types in their turn, the last row of all others: the whole, and a smaller one. */
static const char *const names[][N_CANDIDATES] = {
  { "mergedimage.png", "Thumbnails/thumbnail.png" },
  { "mergedimage.png", "preview.png" },
  { "Thumbnails/thumbnail.png", "" },
};

/* A first file "mimetype". */
static const ThMagic magic[] = {
  { 0, 38, "PK\3\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\10\0\0\0mimetype",
    "\377\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\0\0"
    "\377\377\377\377\377\377\377\377" },
  { 0 },
};

extern const ThCodec th_codec_ora;

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "ZIP: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

/* Some programs end it with a new line. Its place in mime_types, or that of NULL. */
static guint
find_type (ThInput *input)
{
  ThBytes type = th_zip_mime_type (input);
  guint i = 0;

  while (type.size > 0 && g_ascii_isspace (type.data[type.size - 1]))
    type.size--;
  while (mime_types[i] != NULL
         && (strlen (mime_types[i]) != type.size
             || !th_bytes_starts_with (type, mime_types[i], type.size)))
    i++;
  return i;
}

static void
shown_clear (Shown *shown)
{
  th_part_clear (&shown->part);
  g_clear_pointer (&shown->stream, th_zip_stream_free);
}

/* NULL where memory is short. */
static ThInput *
open_input (const OraSession *session, const ThZipEntry *entry, Shown *shown)
{
  static const ThBytes nothing = { NULL, 0 };

  if (!entry->deflated)
    return th_input_new_part (session->base.input, entry->offset, entry->size, nothing);
  shown->stream = th_zip_stream_new (session->base.input, entry);
  return shown->stream != NULL ? th_zip_stream_input (shown->stream) : NULL;
}

static void
show (OraSession *session, const Shown *shown)
{
  const ThHeader header = th_part_header (&shown->part);

  session->shown = *shown;
  session->header.orientation = header.orientation;
  session->header.has_alpha = header.has_alpha;
  session->header.icc = header.icc;
  session->header.icc_size = header.icc_size;
  session->header.space = header.space;
}

static gboolean
is_png (ThInput *input)
{
  return th_bytes_starts_with (th_input_peek (input, 0, 8), "\211PNG\r\n\032\n", 8);
}

/* Only PNG: nothing in it can hold another picture. shown is to be cleared by the caller. */
static ThStatus
open_entry (const OraSession *session, guint i, Shown *shown, GError **error)
{
  const ThZipEntry *entry = &session->entries[i];
  ThInput *input;

  if (entry->size == 0)
    return fail (session->base.input, TH_STATUS_NO_CONTENT, error,
                 "it was saved without a picture");
  if (entry->deflated && entry->size > TH_ZIP_STREAM_MOST)
    return fail (session->base.input, TH_STATUS_TOO_LARGE, error, NULL);
  input = open_input (session, entry, shown);
  if (input != NULL && !is_png (input))
    {
      const ThStatus status = fail (input, TH_STATUS_CORRUPT, error, "its picture is no PNG");

      th_input_free (input);
      return status;
    }
  return th_part_open (&shown->part, input, &th_codec_ora, &session->limits, error);
}

/* Not the picture's fault, and the same for the next. */
static gboolean
is_final (ThStatus status)
{
  return status == TH_STATUS_OK || status == TH_STATUS_IO || status == TH_STATUS_NO_MEMORY;
}

/* What is wrong with the whole is told rather than what is with the other one. */
static ThStatus
open_best (OraSession *session, GError **error)
{
  g_autoptr (GError) best = NULL;
  ThStatus first = TH_STATUS_OK;

  for (guint i = 0; i < N_CANDIDATES; i++)
    {
      g_autoptr (GError) local = NULL;
      Shown shown = { 0 };
      const ThStatus status = open_entry (session, i, &shown, &local);

      if (status == TH_STATUS_OK)
        {
          show (session, &shown);
          session->header.size = th_part_header (&shown.part).size;
          session->reduced = i > 0;
          return status;
        }
      shown_clear (&shown);
      if (best == NULL || is_final (status))
        {
          g_clear_error (&best);
          best = g_steal_pointer (&local);
          first = status;
        }
      if (is_final (status))
        break;
    }
  g_propagate_error (error, g_steal_pointer (&best));
  return first;
}

static ThStatus
open_session (OraSession *session, GError **error)
{
  ThInput *input = session->base.input;
  const guint type = find_type (input);
  const guint row = MIN (type, G_N_ELEMENTS (names) - 1);

  if (mime_types[type] == NULL)
    return fail (input, TH_STATUS_NOT_MINE, error, NULL);
  session->header = (ThHeader){ .pages = 1, .frames = 1, .mime_type = mime_types[type] };
  if (!th_zip_find (input, names[row], session->entries, N_CANDIDATES))
    return fail (input, TH_STATUS_CORRUPT, error, "there is no directory at its end");
  return open_best (session, error);
}

static void
ora_close (ThSession *base)
{
  shown_clear (&((OraSession *) base)->shown);
  g_free (base);
}

static ThStatus
ora_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  OraSession *session = g_new0 (OraSession, 1);
  g_autoptr (GError) local = NULL;
  ThStatus status;

  session->base.input = input;
  session->limits = *limits;
  status = open_session (session, &local);
  if (status == TH_STATUS_OK)
    {
      *out = &session->base;
      return TH_STATUS_OK;
    }
  ora_close (&session->base);
  g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

static const ThHeader *
ora_header (const ThSession *base)
{
  return &((const OraSession *) base)->header;
}

/* It is large enough, and of the shape of the whole. */
static gboolean
serves (const OraSession *session, const Shown *shown, ThSize target)
{
  const ThSize whole = session->header.size;
  const ThSize size = th_part_header (&shown->part).size;
  const guint64 a = (guint64) size.width * whole.height;
  const guint64 b = (guint64) size.height * whole.width;
  const guint64 pixel = MAX (whole.width, whole.height);

  return size.width >= target.width && size.height >= target.height && size.width <= whole.width
         && size.height <= whole.height && MAX (a, b) - MIN (a, b) <= MAX (a / TOLERANCE, pixel);
}

/* Changes to the smaller one where that serves. */
static gboolean
choose (OraSession *session, ThSize target)
{
  Shown small = { 0 };

  if (session->reduced || session->entries[1].size == 0 || !session->limits.embedded_previews)
    return FALSE;
  if (open_entry (session, 1, &small, NULL) != TH_STATUS_OK || !serves (session, &small, target))
    {
      shown_clear (&small);
      return FALSE;
    }
  shown_clear (&session->shown);
  show (session, &small);
  session->reduced = TRUE;
  return TRUE;
}

static gboolean
ora_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  OraSession *session = (OraSession *) base;
  const gboolean preview = choose (session, targets[0]);
  guint64 more = sizeof *session + SMALL_BYTES;

  if (!th_part_plan (&session->shown.part, targets, n_targets, plan))
    return FALSE;
  plan->from_preview = preview;
  more += session->shown.stream != NULL ? th_zip_stream_bytes () : 0;
  return g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, more);
}

static ThStatus
ora_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  return th_part_decode (&((const OraSession *) base)->shown.part, plan, sink, error);
}

const ThCodec th_codec_ora = {
  .abi = TH_CODEC_ABI,
  .name = "ora",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = ora_open,
  .header = ora_header,
  .plan = ora_plan,
  .decode = ora_decode,
  .close = ora_close,
};
