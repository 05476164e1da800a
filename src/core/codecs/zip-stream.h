/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a deflated file within a ZIP file holds, as an input of its own, unpacked while it is read.
 */
#pragma once

#include "core/codecs/zip-file.h"

typedef struct _ThZipStream ThZipStream;

/* Larger ones are not unpacked: who skips in one unpacks what is skipped. */
#define TH_ZIP_STREAM_MOST (256u * 1024u * 1024u)

/* Reads for itself what file reads. NULL where memory is short, or the entry is too large. */
ThZipStream *th_zip_stream_new (const ThInput *file, const ThZipEntry *entry);
void th_zip_stream_free (ThZipStream *stream);
/* The caller's; the stream must outlive it. It has the size that the entry says, and ends earlier
 * where the data do. NULL where memory is short. */
ThInput *th_zip_stream_input (ThZipStream *stream);
/* Most memory that one takes. */
gsize th_zip_stream_bytes (void);
