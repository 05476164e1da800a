/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-reader-wire.h"

#include <string.h>
#include <unistd.h>

#include "wire/th-packet.h"

typedef struct
{
  guint32 size;
  gboolean carries_fd;
  gsize texts[6]; /* offset and size of each; ends with a size of 0 */
} Shape;

#define TEXT(type, field) G_STRUCT_OFFSET (type, field), sizeof (((type *) NULL)->field)

static const Shape shapes[] = {
  [TH_READER_HELLO] = { sizeof (ThReaderHello), FALSE, { TEXT (ThReaderHello, build) } },
  [TH_READER_LOOK] = { sizeof (ThReaderLook), FALSE, { TEXT (ThReaderLook, where) } },
  [TH_READER_OPEN] = { sizeof (ThReaderOpen), FALSE, { 0 } },
  [TH_READER_AGAIN] = { sizeof (ThReaderBare), FALSE, { 0 } },
  [TH_READER_CLOSE] = { sizeof (ThReaderBare), FALSE, { 0 } },
  [TH_READER_SCHEMES] = { sizeof (ThReaderBare), FALSE, { 0 } },
  [TH_READER_PROGRESS] = { sizeof (ThReaderBare), FALSE, { 0 } },
  [TH_READER_FACTS] = { sizeof (ThReaderFacts),
                        TRUE,
                        { TEXT (ThReaderFacts, path), TEXT (ThReaderFacts, mime_type) } },
  [TH_READER_VERDICT] = { sizeof (ThReaderVerdict), FALSE, { 0 } },
  [TH_READER_LIST] = { sizeof (ThReaderList), FALSE, { TEXT (ThReaderList, names) } },
  [TH_READER_FAILED] = { sizeof (ThReaderFailed), FALSE, { TEXT (ThReaderFailed, text) } },
};

static const Shape *
shape_of (guint32 type)
{
  return type >= TH_READER_HELLO && type < G_N_ELEMENTS (shapes) ? &shapes[type] : NULL;
}

void
th_reader_wire_init (ThReaderMessage *message, ThReaderType type, guint32 request)
{
  const Shape *shape = shape_of (type);

  g_assert (shape != NULL);
  memset (message, 0, sizeof *message);
  message->head = (ThReaderHead){ TH_READER_MAGIC, type, shape->size, request };
}

gboolean
th_reader_wire_send (int socket, const ThReaderMessage *message, int fd, gboolean patient,
                     GError **error)
{
  return th_packet_send (socket, message, message->head.size, fd, patient, error);
}

static gboolean
well_formed (const ThReaderMessage *message, gsize received, gboolean with_fd)
{
  const Shape *shape;

  if (received < sizeof message->head || message->head.magic != TH_READER_MAGIC)
    return FALSE;
  shape = shape_of (message->head.type);
  if (shape == NULL || message->head.size != shape->size || received != shape->size)
    return FALSE;
  for (const gsize *text = shape->texts; text[1] > 0; text += 2)
    if (memchr ((const char *) message + text[0], '\0', text[1]) == NULL)
      return FALSE;
  return !with_fd || shape->carries_fd;
}

ThWireResult
th_reader_wire_receive (int socket, ThReaderMessage *message, int *fd)
{
  ThPacketResult result;
  gsize got;
  int came;

  if (fd != NULL)
    *fd = -1;
  result = th_packet_receive (socket, message, sizeof *message, &got, &came);
  if (result == TH_PACKET_GOT && well_formed (message, got, came >= 0) && (came < 0 || fd != NULL))
    {
      if (fd != NULL)
        *fd = came;
      return TH_WIRE_GOT;
    }
  if (came >= 0)
    close (came);
  return result == TH_PACKET_END ? TH_WIRE_END : TH_WIRE_MALFORMED;
}
