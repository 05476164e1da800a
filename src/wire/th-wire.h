/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Framing between the side that owns files and caches and the locked-down side that decodes: one
 * fixed struct a message over SOCK_SEQPACKET. Both sides check type, size and strings; the side
 * that receives from a worker believes nothing else either (th-exchange).
 *
 *   daemon                               worker
 *          <------------------- HELLO    once, locked down already
 *   JOB + source fd ------------------>
 *          <-------------------- PLAN    status OK, or final
 *   GRANT (+ memfd), or DENY --------->
 *          <-------------------- DONE    after GRANT; after DENY the worker is ready at once
 *
 * What fits into the allowance of JOB is decoded at once: PLAN, with ahead set, and DONE come
 * together, and nothing is granted.
 */
#pragma once

#include <glib.h>

#include "base/th-error.h"
#include "base/th-fit.h"
#include "base/th-flavor.h"

#define TH_WIRE_MAGIC      0x31626874u /* "thb1" */
#define TH_WIRE_VERSION    4u
#define TH_WIRE_NAME_BYTES 32u
#define TH_WIRE_MIME_BYTES 128u
#define TH_WIRE_TEXT_BYTES 256u
/* The descriptor on which a worker finds its socket. */
#define TH_WIRE_FD 3

typedef enum
{
  TH_WIRE_HELLO = 1,
  TH_WIRE_JOB,
  TH_WIRE_PLAN,
  TH_WIRE_GRANT,
  TH_WIRE_DENY,
  TH_WIRE_DONE,
} ThWireType;

typedef struct
{
  guint32 magic;
  guint32 type;
  guint32 size; /* bytes of the whole message */
  guint32 job;  /* number of the job; 0 in HELLO */
} ThWireHead;

typedef struct
{
  ThWireHead head;
  guint32 version;
  guint32 seccomp;                /* 1: the filter is in place */
  gint32 landlock_abi;            /* 0: not available */
  guint32 status;                 /* ThStatus: OK, or NO_SANDBOX and the reason in text */
  guint64 data_base;              /* bytes of RLIMIT_DATA that it needs without a grant; 0: not to
                                     be limited (sanitizers) */
  char build[TH_WIRE_NAME_BYTES]; /* the package version: both sides must agree */
  char text[TH_WIRE_TEXT_BYTES];
} ThWireHello;

typedef struct
{
  ThWireHead head;
  guint64 max_pixels;
  guint64 max_plan_bytes;
  guint64 allowance;           /* bytes, results included, that need no GRANT; 0: none */
  guint64 room;                /* bytes of the memory that stays; 0: there is none yet */
  guint32 embedded_previews;   /* 0: decode the main picture always */
  guint32 n_boxes;             /* 1 to TH_N_FLAVORS */
  guint32 boxes[TH_N_FLAVORS]; /* pixels, largest first */
} ThWireJob;

typedef struct
{
  ThWireHead head;
  guint32 status; /* ThStatus; anything but OK ends the job */
  ThSize full;
  guint32 scalable;
  guint32 channels; /* 3 or 4 */
  guint32 pages;
  guint32 frames;
  double duration;    /* seconds */
  guint64 peak_bytes; /* of the decode */
  char codec[TH_WIRE_NAME_BYTES];
  char mime_type[TH_WIRE_MIME_BYTES];
  char text[TH_WIRE_TEXT_BYTES];
  guint32 ahead; /* 1: it was within the allowance, DONE follows */
} ThWirePlan;

/* Results lie one after the other in the memfd: offset of each, rows without padding. The sizes
 * follow from the plan by th_fit; both sides compute them, so that only the offsets are said. */
typedef struct
{
  ThWireHead head;
  guint64 total; /* bytes of the results */
  guint64 room;  /* bytes of the memfd where it stays for later jobs, whose GRANT brings none unless
                    there is another one; 0: this one is for this job alone, and of total bytes */
  guint64 offsets[TH_N_FLAVORS];
} ThWireGrant;

typedef struct
{
  ThWireHead head;
} ThWireDeny;

typedef struct
{
  ThWireHead head;
  guint32 status; /* ThStatus */
  char text[TH_WIRE_TEXT_BYTES];
} ThWireDone;

typedef union
{
  ThWireHead head;
  ThWireHello hello;
  ThWireJob job;
  ThWirePlan plan;
  ThWireGrant grant;
  ThWireDeny deny;
  ThWireDone done;
} ThWireMessage;

/* Fills in the head for a message of this type. */
void th_wire_init (ThWireMessage *message, ThWireType type, guint32 job);
/* Sends one message, and passes fd with it where it is not -1. Never blocks: a
 * worker that does not read is broken. FALSE: G_FILE_ERROR (PIPE where the other side is gone). */
gboolean th_wire_send (int socket, const ThWireMessage *message, int fd, GError **error);

typedef enum
{
  TH_WIRE_GOT,
  TH_WIRE_END,       /* the other side is gone */
  TH_WIRE_MALFORMED, /* wrong size, type or magic, an unterminated string, a descriptor where none
                        belongs */
} ThWireResult;

/* Waits for one message. A descriptor that came with it is handed over in *fd (close-on-exec);
 * where fd is NULL one is refused as malformed and closed. */
ThWireResult th_wire_receive (int socket, ThWireMessage *message, int *fd);

/* Copies text cut to size - 1 bytes at a character boundary, always terminated. */
void th_wire_set_text (char *field, gsize size, const char *text);
