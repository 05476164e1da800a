/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of a picture, read by offset and length through one buffer; never mapped, so that a
 * file that shrinks under us gives a short read and not a signal. */
#pragma once

#include <glib.h>

#include "base/th-bytes.h"

typedef struct _ThInput ThInput;

/* Bytes that one th_input_peek can see at the most. */
#define TH_INPUT_WINDOW (64u * 1024u)

/* Reads fd, which stays the caller's and must outlive the input. NULL where it cannot be measured.
 */
ThInput *th_input_new_fd (int fd, GError **error);
/* Reads memory, which stays the caller's: for tests and fuzzers. */
ThInput *th_input_new_bytes (const void *data, gsize size);
/* Longest head of a part. */
#define TH_INPUT_HEAD 128u
/* A picture within another file: a head (copied) that the file does not have, then what there is of
 * size bytes from offset. Reads for itself what the whole reads, which may be freed before, and is
 * no part with a head. NULL where memory is short. */
ThInput *th_input_new_part (const ThInput *whole, guint64 offset, guint64 size, ThBytes head);
/* Bytes that are made as they are read: how many of length there are from offset, fewer at the end,
 * -1 where that cannot be told. */
typedef gssize (*ThInputMake) (gpointer user, guint64 offset, void *buffer, gsize length);
/* user must outlive the input and its parts. NULL where memory is short. */
ThInput *th_input_new_made (ThInputMake make, gpointer user, guint64 size);
/* What one takes of memory. */
gsize th_input_bytes (void);
void th_input_free (ThInput *input);

/* Size in bytes when the input was made. */
guint64 th_input_size (const ThInput *input);
/* Copies up to length bytes; how many there were (fewer at the end), -1 on a read error. */
gssize th_input_read (ThInput *input, guint64 offset, void *buffer, gsize length);
/* A view into the buffer of up to TH_INPUT_WINDOW bytes from offset, valid until the next call; its
 * size is 0 at the end and on a read error (th_input_failed tells them apart). At least min(wanted,
 * bytes left) bytes; wanted at most TH_INPUT_WINDOW. */
ThBytes th_input_peek (ThInput *input, guint64 offset, gsize wanted);
/* TRUE once any read has failed with anything but the end of the file. */
gboolean th_input_failed (const ThInput *input);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThInput, th_input_free)
