/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuickTime images: atoms, one of which holds a picture of another format. */
#include "config.h"

#include "core/th-part.h"

#define ATOM_BYTES      8u
#define LONG_ATOM_BYTES 16u
#define TO_THE_END      0u
#define LONG            1u /* the size is that of 64 bits behind the name */
#define MOST_ATOMS      100u

typedef struct
{
  ThSession base;
  ThHeader header;
  ThPart part;
} QtifSession;

typedef struct
{
  guint64 offset; /* of the content */
  guint64 size;   /* of it */
  gboolean is_data;
} Atom;

static const char *const mime_types[] = { "image/x-quicktime", "image/qtif", "image/x-qtif", NULL };

static const ThMagic magic[] = { { 4, 4, "idsc", NULL }, { 4, 4, "idat", NULL }, { 0 } };

extern const ThCodec th_codec_qtif;

/* FALSE at the end, and where the size is less than its own. */
static gboolean
read_atom (ThInput *input, guint64 offset, Atom *atom)
{
  const ThBytes head = th_input_peek (input, offset, LONG_ATOM_BYTES);
  guint32 size, high, low;
  guint64 whole;
  ThBytes name;

  if (!th_bytes_u32 (head, 0, TRUE, &size) || !th_bytes_slice (head, 4, 4, &name))
    return FALSE;
  *atom = (Atom){ offset + ATOM_BYTES, G_MAXUINT64, th_bytes_starts_with (name, "idat", 4) };
  if (size == TO_THE_END)
    return TRUE;
  whole = size;
  if (size == LONG)
    {
      if (!th_bytes_u32 (head, 8, TRUE, &high) || !th_bytes_u32 (head, 12, TRUE, &low))
        return FALSE;
      whole = (guint64) high << 32 | low;
      atom->offset = offset + LONG_ATOM_BYTES;
    }
  if (whole < atom->offset - offset)
    return FALSE;
  atom->size = whole - (atom->offset - offset);
  return TRUE;
}

static gboolean
find_data (ThInput *input, Atom *atom)
{
  guint64 offset = 0;

  for (guint i = 0; i < MOST_ATOMS && offset < th_input_size (input); i++)
    {
      if (!read_atom (input, offset, atom))
        return FALSE;
      if (atom->is_data)
        return TRUE;
      if (!g_uint64_checked_add (&offset, atom->offset, atom->size))
        return FALSE;
    }
  return FALSE;
}

static ThStatus
open_session (QtifSession *session, const ThLimits *limits, GError **error)
{
  static const ThBytes nothing = { NULL, 0 };
  ThInput *input = session->base.input;
  ThStatus status;
  Atom atom;

  if (!find_data (input, &atom))
    {
      status = th_input_failed (input) ? TH_STATUS_IO : TH_STATUS_NO_CONTENT;
      g_set_error (error, TH_ERROR, th_status_to_error (status), "QuickTime image: %s",
                   th_status_describe (status));
      return status;
    }
  status = th_part_open (&session->part, th_input_new_part (input, atom.offset, atom.size, nothing),
                         &th_codec_qtif, limits, error);
  if (status != TH_STATUS_OK)
    return status;
  session->header = th_part_header (&session->part);
  session->header.mime_type = mime_types[0];
  return TH_STATUS_OK;
}

static void
qtif_close (ThSession *base)
{
  th_part_clear (&((QtifSession *) base)->part);
  g_free (base);
}

static ThStatus
qtif_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  QtifSession *session = g_new0 (QtifSession, 1);
  ThStatus status;

  session->base.input = input;
  status = open_session (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    qtif_close (&session->base);
  return status;
}

static const ThHeader *
qtif_header (const ThSession *base)
{
  return &((const QtifSession *) base)->header;
}

static gboolean
qtif_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const QtifSession *session = (const QtifSession *) base;

  return th_part_plan (&session->part, targets, n_targets, plan)
         && g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, sizeof *session);
}

static ThStatus
qtif_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  return th_part_decode (&((const QtifSession *) base)->part, plan, sink, error);
}

const ThCodec th_codec_qtif = {
  .abi = TH_CODEC_ABI,
  .name = "qtif",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = qtif_open,
  .header = qtif_header,
  .plan = qtif_plan,
  .decode = qtif_decode,
  .close = qtif_close,
};
