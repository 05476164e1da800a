/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-backend.h"

void
th_backend_free (ThBackend *backend)
{
  backend->free (backend);
}

guint
th_backend_queue (ThBackend *backend, const char *const *uris, const char *const *mime_types,
                  ThFlavor flavor, ThClass klass)
{
  return backend->queue (backend, uris, mime_types, flavor, klass);
}

char *
th_backend_trouble (ThBackend *backend)
{
  return backend->trouble (backend);
}

const char *
th_backend_who (const ThBackend *backend)
{
  return backend->who;
}
