/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenRaster, Krita and OpenDocument: ZIP files, in which a PNG shows the whole, or a smaller one.
 * Both are read in place where they are stored as they are, as these programs do it, which no
 * library for ZIP files allows; and its directory is read without keeping it. */
#include "config.h"

#include <string.h>

#include "core/codecs/zip-stream.h"
#include "core/th-part.h"

#define N_CANDIDATES 2u
#define SMALL_BYTES  4096u /* an error, and what the heap rounds up */
#define TOLERANCE    100u  /* sides may differ by one in so many, or one pixel */

typedef struct
{
  ThSession base;
  ThHeader header;
  ThLimits limits;
  ThZipEntry entries[N_CANDIDATES];
  guint main; /* the larger one that can be opened */
  guint open;
  ThZipStream *stream; /* owned; of what is open, or NULL */
  ThPart part;
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
close_entry (OraSession *session)
{
  th_part_clear (&session->part);
  g_clear_pointer (&session->stream, th_zip_stream_free);
}

/* NULL where memory is short. */
static ThInput *
open_input (OraSession *session, const ThZipEntry *entry)
{
  static const ThBytes nothing = { NULL, 0 };

  if (!entry->deflated)
    return th_input_new_part (session->base.input, entry->offset, entry->size, nothing);
  session->stream = th_zip_stream_new (session->base.input, entry);
  return session->stream != NULL ? th_zip_stream_input (session->stream) : NULL;
}

static void
fill_header (OraSession *session)
{
  const ThHeader shown = th_part_header (&session->part);

  session->header.orientation = shown.orientation;
  session->header.has_alpha = shown.has_alpha;
  session->header.icc = shown.icc;
  session->header.icc_size = shown.icc_size;
  session->header.space = shown.space;
}

/* Only PNG: nothing in it can hold another picture. */
static ThStatus
open_entry (OraSession *session, guint i, GError **error)
{
  const ThZipEntry *entry = &session->entries[i];
  ThInput *input;
  ThStatus status;

  close_entry (session);
  if (entry->size == 0)
    return fail (session->base.input, TH_STATUS_NO_CONTENT, error,
                 "it was saved without a picture");
  if (entry->deflated && entry->size > TH_ZIP_STREAM_MOST)
    return fail (session->base.input, TH_STATUS_TOO_LARGE, error, NULL);
  input = open_input (session, entry);
  if (input != NULL && !th_bytes_starts_with (th_input_peek (input, 0, 8), "\211PNG\r\n\032\n", 8))
    {
      th_input_free (input);
      return fail (session->base.input, TH_STATUS_CORRUPT, error, "its picture is no PNG");
    }
  status = th_part_open (&session->part, input, &th_codec_ora, &session->limits, error);
  if (status != TH_STATUS_OK)
    return status;
  session->open = i;
  fill_header (session);
  return TH_STATUS_OK;
}

/* What is wrong with the whole is told, not what is with the other one. */
static ThStatus
open_best (OraSession *session, GError **error)
{
  ThStatus status = open_entry (session, 0, error);

  if (status != TH_STATUS_OK && open_entry (session, 1, NULL) == TH_STATUS_OK)
    {
      g_clear_error (error);
      status = TH_STATUS_OK;
    }
  if (status != TH_STATUS_OK)
    return status;
  session->main = session->open;
  session->header.size = th_part_header (&session->part).size;
  return TH_STATUS_OK;
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
  close_entry ((OraSession *) base);
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

/* What is open is large enough, and of the shape of the whole. */
static gboolean
serves (const OraSession *session, ThSize target)
{
  const ThSize whole = session->header.size;
  const ThSize size = th_part_header (&session->part).size;
  const guint64 a = (guint64) size.width * whole.height;
  const guint64 b = (guint64) size.height * whole.width;
  const guint64 pixel = MAX (whole.width, whole.height);

  return size.width >= target.width && size.height >= target.height && size.width <= whole.width
         && size.height <= whole.height && MAX (a, b) - MIN (a, b) <= MAX (a / TOLERANCE, pixel);
}

/* The smaller one where that serves, or the whole again. */
static gboolean
choose (OraSession *session, ThSize target)
{
  if (session->main != 0 || session->entries[1].size == 0 || !session->limits.embedded_previews)
    return TRUE;
  if (open_entry (session, 1, NULL) == TH_STATUS_OK && serves (session, target))
    return TRUE;
  return open_entry (session, 0, NULL) == TH_STATUS_OK;
}

static gboolean
ora_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  OraSession *session = (OraSession *) base;
  guint64 more = sizeof *session + SMALL_BYTES;

  if (!choose (session, targets[0]) || !th_part_plan (&session->part, targets, n_targets, plan))
    return FALSE;
  plan->from_preview = session->open != session->main;
  more += session->stream != NULL ? th_zip_stream_bytes () : 0;
  return g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, more);
}

static ThStatus
ora_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  return th_part_decode (&((const OraSession *) base)->part, plan, sink, error);
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
