/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Icons of Mac OS: which of the pictures within to take. They are PNG, which that codec reads, or
 * planes packed in runs, which are small; those in JPEG 2000, and those of less than 24 bits, are
 * passed over. */
#include "config.h"

#include <string.h>

#include "core/codecs/icon-file.h"

#define CHUNK_BYTES   8u
#define MOST_CHUNKS   1000u
#define MOST_SIDE     128u
#define MOST_PACKED   (MOST_SIDE * MOST_SIDE * 4 * 2) /* no run makes more of less */
#define LONGEST_RUN   130u                            /* of two bytes */
#define LITERALS      0x80u                           /* below: so many bytes and one as they are */
#define SHORTEST_RUN  3u
#define LARGE_PADDING 4u /* before the planes of it32 */
#define SMALL_BYTES   4096u

/* A kind of picture that is not PNG. */
typedef struct
{
  char name[5];
  guint side;
  char mask[5]; /* "": alpha is the first plane, and "ARGB" stands before it */
} Kind;

static const Kind kinds[] = {
  { "is32", 16, "s8mk" }, { "il32", 32, "l8mk" }, { "ih32", 48, "h8mk" }, { "it32", 128, "t8mk" },
  { "icp4", 16, "s8mk" }, { "icp5", 32, "l8mk" }, { "ic04", 16, "" },     { "icsb", 18, "" },
  { "ic05", 32, "" },     { "icsB", 36, "" },     { "SB24", 48, "" },
};

typedef struct
{
  guint64 offset;
  guint64 bytes;
} Range;

typedef struct
{
  ThIconFile file;
  Range masks[G_N_ELEMENTS (kinds)];
} IcnsSession;

static const char *const mime_types[] = { "image/x-icns", "image/icns", NULL };

static const ThMagic magic[] = { { 0, 4, "icns", NULL }, { 0 } };

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_clear_error (error);
  g_set_error (error, TH_ERROR, th_status_to_error (status), "ICNS: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

static gboolean
is_of_kind (guint layout, ThBytes name, ThBytes content, ThIcon *icon)
{
  const Kind *kind = &kinds[layout];
  const guint planes = *kind->mask == '\0' ? 4 : 3;

  if (!th_bytes_starts_with (name, kind->name, 4)
      || icon->bytes < kind->side * kind->side * planes * 2 / LONGEST_RUN
      || (*kind->mask == '\0' && !th_bytes_starts_with (content, "ARGB", 4))
      || th_bytes_starts_with (content, "\0\0\0\014jP  ", 8)
      || th_bytes_starts_with (content, "\377\117\377\121", 4))
    return FALSE;
  icon->layout = layout;
  icon->depth = *kind->mask == '\0' ? 32 : 24;
  icon->size = (ThSize){ kind->side, kind->side };
  return TRUE;
}

static void
add_chunk (IcnsSession *session, ThBytes head, guint64 offset, guint64 bytes)
{
  ThIcon icon = { .offset = offset, .bytes = bytes };
  ThBytes name, content;

  if (!th_bytes_slice (head, 0, 4, &name)
      || !th_bytes_slice (head, CHUNK_BYTES, head.size - CHUNK_BYTES, &content))
    return;
  if (th_icon_is_png (content, &icon))
    {
      th_icon_set_add (&session->file.set, &icon);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (th_bytes_starts_with (name, kinds[i].mask, 4) && *kinds[i].mask != '\0')
        session->masks[i] = (Range){ offset, bytes };
      if (is_of_kind (i, name, content, &icon))
        th_icon_set_add (&session->file.set, &icon);
    }
}

static ThStatus
read_chunks (IcnsSession *session, GError **error)
{
  ThInput *input = session->file.base.input;
  guint64 at = CHUNK_BYTES;

  for (guint i = 0; i < MOST_CHUNKS; i++)
    {
      const ThBytes head = th_input_peek (input, at, CHUNK_BYTES + TH_ICON_PNG_HEAD);
      guint32 size;

      if (!th_bytes_u32 (head, 4, TRUE, &size) || size < CHUNK_BYTES)
        break;
      add_chunk (session, head, at + CHUNK_BYTES, size - CHUNK_BYTES);
      at += size;
    }
  if (session->file.set.n == 0)
    return fail (input, TH_STATUS_NO_CONTENT, error,
                 "none of its pictures is PNG or of 24 or more bits");
  return th_input_failed (input) ? fail (input, TH_STATUS_IO, error, NULL) : TH_STATUS_OK;
}

/* Its planes are read when they are decoded. */
static ThStatus
open_planes (ThIconFile *file, const ThIcon *icon, GError **error)
{
  return TH_STATUS_OK;
}

static void
icns_close (ThSession *base)
{
  th_part_clear (&((IcnsSession *) base)->file.part);
  g_free (base);
}

static ThStatus
icns_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  IcnsSession *session = g_new0 (IcnsSession, 1);
  g_autoptr (GError) local = NULL;
  ThStatus status;

  session->file.base.input = input;
  session->file.limits = *limits;
  session->file.header = (ThHeader){ .pages = 1, .frames = 1, .mime_type = mime_types[0] };
  status = read_chunks (session, &local);
  if (status == TH_STATUS_OK)
    status = th_icon_file_open (&session->file, open_planes, &local);
  if (status == TH_STATUS_OK)
    {
      *out = &session->file.base;
      return TH_STATUS_OK;
    }
  icns_close (&session->file.base);
  g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

static const ThHeader *
icns_header (const ThSession *base)
{
  return &((const IcnsSession *) base)->file.header;
}

static gboolean
icns_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  IcnsSession *session = (IcnsSession *) base;

  if (!th_icon_file_choose (&session->file, open_planes, targets[0]))
    return FALSE;
  if (session->file.open.layout == TH_ICON_PNG)
    return th_part_plan (&session->file.part, targets, n_targets, plan)
           && g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, sizeof *session);
  *plan = (ThPlan){
    .raster = { session->file.open.size.width, session->file.open.size.height,
                session->file.open.size.width, session->file.open.size.height, TH_COLOR_RGB,
                TH_ALPHA_STRAIGHT, 8 },
    .peak_bytes =
        sizeof *session + SMALL_BYTES + MOST_PACKED + MOST_SIDE * MOST_SIDE * 4 + MOST_SIDE * 4,
  };
  return TRUE;
}

/* Undoes runs until n bytes are there; how many came. */
static gsize
unpack (ThBytes packed, guint8 *out, gsize n)
{
  gsize at = 0, done = 0;
  guint8 code, value;

  while (done < n && th_bytes_u8 (packed, at, &code))
    {
      const gsize length = code < LITERALS ? code + 1u : code - LITERALS + SHORTEST_RUN;
      const gsize count = MIN (length, n - done);
      ThBytes literals;

      if (code < LITERALS && !th_bytes_slice (packed, at + 1, count, &literals))
        return done;
      if (code >= LITERALS && !th_bytes_u8 (packed, at + 1, &value))
        return done;
      if (code < LITERALS)
        memcpy (out + done, literals.data, count);
      else
        memset (out + done, value, count);
      at += code < LITERALS ? 1 + length : 2;
      done += count;
    }
  return done;
}

/* planes: alpha, red, green, blue. A mask that is short hides nothing where it ends. */
static gboolean
load_planes (const IcnsSession *session, guint8 *packed, guint8 *planes)
{
  ThInput *input = session->file.base.input;
  const Kind *kind = &kinds[session->file.open.layout];
  const Range *mask = &session->masks[session->file.open.layout];
  const gsize n = (gsize) kind->side * kind->side;
  const gboolean with_alpha = *kind->mask == '\0';
  const gsize skip = with_alpha || kind->side == MOST_SIDE ? LARGE_PADDING : 0;
  const gsize first = with_alpha ? 0 : n;
  const gssize got = th_input_read (input, session->file.open.offset, packed,
                                    (gsize) MIN (session->file.open.bytes, MOST_PACKED));
  ThBytes bytes;

  memset (planes, 255, n);
  if (got < 0
      || !th_bytes_slice ((ThBytes){ packed, (gsize) got }, skip, (gsize) got - skip, &bytes)
      || unpack (bytes, planes + first, 4 * n - first) < 4 * n - first)
    return FALSE;
  if (!with_alpha)
    th_input_read (input, mask->offset, planes, (gsize) MIN (mask->bytes, n));
  return TRUE;
}

static ThStatus
push_planes (const guint8 *planes, guint side, guint8 *row, ThSink *sink)
{
  const gsize n = (gsize) side * side;

  for (guint y = 0; y < side; y++, planes += side)
    {
      for (guint x = 0; x < side; x++)
        for (guint c = 0; c < 4; c++)
          row[4 * x + c] = planes[x + n * ((c + 1) % 4)];
      if (!sink->rows (sink, row, (gsize) side * 4, 1))
        return TH_STATUS_STOPPED;
    }
  return TH_STATUS_OK;
}

static ThStatus
icns_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const IcnsSession *session = (const IcnsSession *) base;
  g_autofree guint8 *packed = NULL;
  g_autofree guint8 *planes = NULL;
  guint8 row[MOST_SIDE * 4];

  if (session->file.open.layout == TH_ICON_PNG)
    return th_part_decode (&session->file.part, plan, sink, error);
  packed = g_try_malloc (MOST_PACKED);
  planes = g_try_malloc (MOST_SIDE * MOST_SIDE * 4);
  if (packed == NULL || planes == NULL)
    return fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  if (!load_planes (session, packed, planes) || th_input_failed (base->input))
    return fail (base->input, TH_STATUS_CORRUPT, error, "the picture is cut");
  return push_planes (planes, plan->raster.width, row, sink);
}

const ThCodec th_codec_icns = {
  .abi = TH_CODEC_ABI,
  .name = "icns",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = icns_open,
  .header = icns_header,
  .plan = icns_plan,
  .decode = icns_decode,
  .close = icns_close,
};
