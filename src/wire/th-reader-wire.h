/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Framing between the service and a process that looks at files for it: one fixed struct a message
 * over SOCK_SEQPACKET, one request at a time. Both sides check type, size and strings; what the
 * numbers mean is checked where they are used.
 *
 *   service                            reader
 *          <----------------- HELLO    once
 *   LOOK, OPEN, AGAIN,
 *   CLOSE or SCHEMES --------------->
 *          <-------------- PROGRESS    any number: it gets on
 *          <----------------- FACTS    after LOOK and, with a descriptor, OPEN
 *          <--------------- VERDICT    after AGAIN and CLOSE
 *          <------------------ LIST    after SCHEMES
 *          <---------------- FAILED    after any but CLOSE
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "wire/th-wire.h"

#define TH_READER_MAGIC       0x31726874u /* "thr1" */
#define TH_READER_WHERE_BYTES 8192u
#define TH_READER_PATH_BYTES  4096u
#define TH_READER_TEXT_BYTES  1024u
#define TH_READER_LIST_BYTES  4096u

typedef enum
{
  TH_READER_HELLO = 1,
  TH_READER_LOOK,
  TH_READER_OPEN,
  TH_READER_AGAIN,
  TH_READER_CLOSE,
  TH_READER_SCHEMES,
  TH_READER_PROGRESS,
  TH_READER_FACTS,
  TH_READER_VERDICT,
  TH_READER_LIST,
  TH_READER_FAILED,
} ThReaderType;

/* What OPEN is to bring. */
typedef enum
{
  TH_READER_COPY,
  TH_READER_DIRECT,
  TH_READER_PREVIEW,
  TH_READER_N_HOWS
} ThReaderHow;

/* Whose numbers the code of FAILED belongs to. GIO's are known to those who link it. */
typedef enum
{
  TH_READER_FILE_ERROR,
  TH_READER_IO_ERROR,
  TH_READER_N_DOMAINS
} ThReaderDomain;

typedef struct
{
  guint32 magic;
  guint32 type;
  guint32 size;    /* bytes of the whole message */
  guint32 request; /* number of the request; 0 in HELLO */
} ThReaderHead;

typedef struct
{
  ThReaderHead head;
  char build[TH_WIRE_NAME_BYTES]; /* the package version: both sides must agree */
} ThReaderHello;

typedef struct
{
  ThReaderHead head;
  char where[TH_READER_WHERE_BYTES]; /* an absolute path, or a URI */
} ThReaderLook;

typedef struct
{
  ThReaderHead head;
  guint32 how; /* ThReaderHow */
  guint64 max_bytes;
} ThReaderOpen;

/* AGAIN, CLOSE, SCHEMES, PROGRESS. */
typedef struct
{
  ThReaderHead head;
} ThReaderBare;

typedef struct
{
  ThReaderHead head;
  struct stat st;
  guint32 inode_lasts;
  guint32 readable;
  guint32 has_preview;
  char path[TH_READER_PATH_BYTES];    /* empty: none */
  char mime_type[TH_WIRE_MIME_BYTES]; /* empty: not known */
} ThReaderFacts;

typedef struct
{
  ThReaderHead head;
  guint32 unchanged;
} ThReaderVerdict;

typedef struct
{
  ThReaderHead head;
  char names[TH_READER_LIST_BYTES]; /* separated by spaces */
} ThReaderList;

typedef struct
{
  ThReaderHead head;
  guint32 domain; /* ThReaderDomain */
  gint32 code;
  char text[TH_READER_TEXT_BYTES];
} ThReaderFailed;

typedef union
{
  ThReaderHead head;
  ThReaderHello hello;
  ThReaderLook look;
  ThReaderOpen open;
  ThReaderBare bare;
  ThReaderFacts facts;
  ThReaderVerdict verdict;
  ThReaderList list;
  ThReaderFailed failed;
} ThReaderMessage;

/* Fills in the head for a message of this type; all else is zero. */
void th_reader_wire_init (ThReaderMessage *message, ThReaderType type, guint32 request);
/* As th_packet_send. */
gboolean th_reader_wire_send (int socket, const ThReaderMessage *message, int fd, gboolean patient,
                              GError **error);
/* As th_wire_receive. */
ThWireResult th_reader_wire_receive (int socket, ThReaderMessage *message, int *fd);
