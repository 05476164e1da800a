/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wire.h"

#include <string.h>
#include <unistd.h>

#include "wire/th-packet.h"

typedef struct
{
  gsize offset;
  gsize size;
} TextField;

typedef struct
{
  guint32 size;
  gboolean carries_fd;
  TextField texts[4]; /* ends with a size of 0 */
} Shape;

#define TEXT(type, field)                                                                          \
  {                                                                                                \
    G_STRUCT_OFFSET (type, field), sizeof (((type *) NULL)->field)                                 \
  }

static const Shape shapes[] = {
  [TH_WIRE_HELLO] = { sizeof (ThWireHello),
                      FALSE,
                      { TEXT (ThWireHello, build), TEXT (ThWireHello, text) } },
  [TH_WIRE_JOB] = { sizeof (ThWireJob), TRUE, { { 0, 0 } } },
  [TH_WIRE_PLAN] = { sizeof (ThWirePlan),
                     FALSE,
                     { TEXT (ThWirePlan, codec), TEXT (ThWirePlan, mime_type),
                       TEXT (ThWirePlan, text) } },
  [TH_WIRE_GRANT] = { sizeof (ThWireGrant), TRUE, { { 0, 0 } } },
  [TH_WIRE_DENY] = { sizeof (ThWireDeny), FALSE, { { 0, 0 } } },
  [TH_WIRE_DONE] = { sizeof (ThWireDone), FALSE, { TEXT (ThWireDone, text) } },
};

static const Shape *
shape_of (guint32 type)
{
  return type >= TH_WIRE_HELLO && type < G_N_ELEMENTS (shapes) ? &shapes[type] : NULL;
}

void
th_wire_init (ThWireMessage *message, ThWireType type, guint32 job)
{
  const Shape *shape = shape_of (type);

  g_assert (shape != NULL);
  memset (message, 0, sizeof *message);
  message->head = (ThWireHead){ TH_WIRE_MAGIC, type, shape->size, job };
}

gboolean
th_wire_send (int socket, const ThWireMessage *message, int fd, GError **error)
{
  return th_packet_send (socket, message, message->head.size, fd, FALSE, error);
}

static gboolean
well_formed (const ThWireMessage *message, gsize received)
{
  const Shape *shape;

  if (received < sizeof message->head || message->head.magic != TH_WIRE_MAGIC)
    return FALSE;
  shape = shape_of (message->head.type);
  if (shape == NULL || message->head.size != shape->size || received != shape->size)
    return FALSE;
  for (const TextField *text = shape->texts; text->size > 0; text++)
    if (memchr ((const char *) message + text->offset, '\0', text->size) == NULL)
      return FALSE;
  return TRUE;
}

ThWireResult
th_wire_receive (int socket, ThWireMessage *message, int *fd)
{
  ThPacketResult result;
  gsize got;
  int came;

  if (fd != NULL)
    *fd = -1;
  memset (message, 0, sizeof *message);
  result = th_packet_receive (socket, message, sizeof *message, &got, &came);
  if (result == TH_PACKET_GOT && well_formed (message, got)
      && (came < 0 || (fd != NULL && shape_of (message->head.type)->carries_fd)))
    {
      if (fd != NULL)
        *fd = came;
      return TH_WIRE_GOT;
    }
  if (came >= 0)
    close (came);
  return result == TH_PACKET_END ? TH_WIRE_END : TH_WIRE_MALFORMED;
}

void
th_wire_set_text (char *field, gsize size, const char *text)
{
  gsize length = strlen (text);

  if (length >= size)
    {
      length = size - 1;
      /* Not in the middle of a character: back over its continuation bytes. */
      while (length > 0 && ((guint8) text[length] & 0xc0) == 0x80)
        length--;
    }
  memcpy (field, text, length);
  memset (field + length, 0, size - length);
}
