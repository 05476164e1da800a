#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes the seeds corpus/NAME: small pictures that reach most of a decoder, all drawn here.
# Needs imagemagick, libjpeg-turbo-progs, webp, libimage-exiftool-perl.
set -eu
cd "$(dirname -- "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p corpus/bmp corpus/jpeg corpus/png corpus/gif corpus/webp corpus/exif corpus/png-text corpus/wire
base=$work/base.png
convert -size 37x27 gradient:red-blue -fill lime -draw 'rectangle 5,5 20,14' -strip "$base"
convert "$base" "$work/base.ppm"
convert "$base" -colorspace Gray -depth 8 "$work/grey.pgm"

cjpeg -quality 60 -outfile corpus/jpeg/420.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 2x1 -restart 1 -outfile corpus/jpeg/422-restart.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 1x1 -rgb -outfile corpus/jpeg/rgb.jpg "$work/base.ppm"
cjpeg -quality 60 -sample 1x2 -progressive -outfile corpus/jpeg/progressive.jpg "$work/base.ppm"
cjpeg -quality 60 -arithmetic -outfile corpus/jpeg/arithmetic.jpg "$work/base.ppm"
cjpeg -quality 60 -arithmetic -progressive -outfile corpus/jpeg/arithmetic-progressive.jpg "$work/base.ppm"
cjpeg -quality 60 -outfile corpus/jpeg/grey.jpg "$work/grey.pgm"
printf '0;\n1;\n2;\n' >"$work/scans"
cjpeg -quality 60 -scans "$work/scans" -outfile corpus/jpeg/separate-scans.jpg "$work/base.ppm"
convert "$base" -colorspace CMYK -strip -quality 60 corpus/jpeg/cmyk.jpg
cp corpus/jpeg/420.jpg corpus/jpeg/exif.jpg
exiftool -q -overwrite_original -n -Orientation=6 corpus/jpeg/exif.jpg
for jpeg in corpus/jpeg/*.jpg; do
  exiftool -q -overwrite_original -comment= "$jpeg" || :
done

# A camera's file: a preview in EXIF, and one behind the picture. The target makes small thumbnails of files of odd size.
convert -size 120x90 gradient: -function sinusoid 4,-90 \( -size 90x120 gradient: -rotate 90 -function sinusoid 3,0 \) \
  \( -size 120x90 gradient:white-gray \) -combine "$work/camera.png"
convert "$work/camera.png" -quality 90 -strip "$work/camera.jpg"
convert "$work/camera.png" -quality 95 -strip -resize 60x45 "$work/preview.jpg"
cp "$work/camera.jpg" corpus/jpeg/preview.jpg
exiftool -q -overwrite_original -JFIF:all= "-ThumbnailImage<=$work/preview.jpg" corpus/jpeg/preview.jpg
python3 - "$work" corpus/jpeg <<'END'
import struct
import sys

def segment(marker, content):
    return b'\xff' + bytes([marker]) + struct.pack('>H', len(content) + 2) + content

def directory(*entries):
    return struct.pack('<H', len(entries)) + b''.join(struct.pack('<HHII', *entry) for entry in entries) + bytes(4)

work, corpus = sys.argv[1:]
picture, preview = (open(f'{work}/{name}.jpg', 'rb').read() for name in ('camera', 'preview'))
picture = picture[20:]  # behind SOI and JFIF
exif = segment(0xe1, b'Exif\0\0II*\0\x08\0\0\0' + directory((0x112, 3, 1, 1)))
size = 2 + len(exif) + 78 + len(picture)
index = b'II*\0\x08\0\0\0' + directory((0xb001, 4, 1, 2), (0xb002, 7, 32, 38))
index += struct.pack('<3I4x', 0x030000, size, 0)
index += struct.pack('<3I4x', 0x010001, len(preview), size - 2 - len(exif) - 8)
data = b'\xff\xd8' + exif + segment(0xe2, b'MPF\0' + index) + picture + preview
open(f'{corpus}/multi-picture.jpg', 'wb').write(data + bytes((len(data) + 1) % 2))
data = open(f'{corpus}/preview.jpg', 'rb').read()
open(f'{corpus}/preview.jpg', 'wb').write(data + bytes((len(data) + 1) % 2))
END

convert "$base" -define png:color-type=2 -define png:bit-depth=8 -strip corpus/png/rgb.png
convert "$base" -define png:color-type=2 -define png:bit-depth=16 -strip corpus/png/rgb16.png
convert "$base" -alpha set -channel A -evaluate set 40% -define png:color-type=6 -strip corpus/png/rgba.png
convert "$base" -colorspace Gray -alpha set -channel A -evaluate set 40% -define png:color-type=4 \
  -strip corpus/png/grey-alpha.png
convert "$base" -colorspace Gray -define png:color-type=0 -define png:bit-depth=1 -strip corpus/png/grey1.png
convert "$base" -colors 4 -define png:color-type=3 -define png:bit-depth=2 -strip corpus/png/palette2.png
convert "$base" -colors 7 -transparent red -define png:color-type=3 -strip corpus/png/palette-trns.png
convert "$base" -interlace PNG -strip corpus/png/interlaced.png
cp corpus/png/palette2.png corpus/png/exif.png
exiftool -q -overwrite_original -n -Orientation=6 corpus/png/exif.png

convert "$base" -colors 8 -strip corpus/gif/still.gif
convert "$base" -colors 8 -interlace GIF -strip corpus/gif/interlaced.gif
convert -size 21x13 xc:black \( -size 9x5 xc:red -repage 21x13+4+3 \) -delay 20 -strip corpus/gif/animated.gif
convert -size 21x13 xc:red -transparent red -strip corpus/gif/transparent.gif

cwebp -quiet -q 50 "$base" -o corpus/webp/lossy.webp
cwebp -quiet -lossless "$base" -o corpus/webp/lossless.webp
cwebp -quiet -q 50 corpus/png/rgba.png -o corpus/webp/lossy-alpha.webp
gif2webp -quiet corpus/gif/animated.gif -o corpus/webp/animated.webp
cp corpus/webp/lossy.webp corpus/webp/exif.webp
exiftool -q -overwrite_original -n -Orientation=6 corpus/webp/exif.webp

python3 ../codecs/images/make-images.py "$work/images" "$work/stamp"
for name in i1-h12 i2-down i4-h64 i8-short s16-c0-h40 s16-c3-h56 s24-c0-h12 s32-c6-h40 profile-inside rle8 rle4 rle8-move \
  rle4-move; do
  cp "$work/images/ok/$name.bmp" corpus/bmp/
done

# EXIF blocks: byte order, two entries of IFD0, the second one the orientation.
printf 'Exif\0\0II*\0\010\0\0\0\002\0\017\001\002\0\001\0\0\0a\0\0\0\022\001\003\0\001\0\0\0\006\0\0\0\0\0\0\0' \
  >corpus/exif/little.bin
printf 'MM\0*\0\0\0\010\0\002\001\017\0\002\0\0\0\001a\0\0\0\001\022\0\003\0\0\0\001\0\010\0\0\0\0\0\0' \
  >corpus/exif/big.bin

# Thumbnails of which only the chunks before the pixels count: the target puts the CRCs right.
png_head='\211PNG\r\n\032\n\0\0\0\015IHDR\0\0\0\002\0\0\0\002\010\002\0\0\0crc.'
png_uri='\0\0\0\024tEXtThumb::URI\0file:///acrc.'
png_tail='\0\0\0\001IDATxcrc.\0\0\0\0IENDcrc.'
printf "$png_head$png_uri"'\0\0\0\036tEXtThumb::MTime\0001700000000.123456crc.'"$png_tail" \
  >corpus/png-text/fraction.png
printf "$png_head$png_uri"'\0\0\0\017tEXtThumb::MTime\000-1crc.\0\0\0&tEXtX-Thimble::Stamp\000v1 -1.000000007 5 420crc.'"$png_tail" \
  >corpus/png-text/stamp.png
printf 'v1 1700000000.123456789 4711 -' >corpus/png-text/stamp.txt

python3 - <<'END'
import struct

# Messages as on a 64-bit little-endian machine (src/wire/th-wire.h); the target puts the heads right.
def message(kind, body, flags=1):
    head = struct.pack('<4I', 0, kind - 1, 0, 0)
    return struct.pack('<BH', flags, len(head + body)) + head + body

def plan(status=0, width=640, height=480, channels=3, text=b''):
    numbers = struct.pack('<7I4xdQ', status, width, height, 0, channels, 1, 1, 0.0, 1 << 20)
    return message(3, numbers + b'png'.ljust(32, b'\0') + b'image/png'.ljust(128, b'\0')
                   + text.ljust(256, b'\0'))

def done(status=0, text=b''):
    return message(6, struct.pack('<I', status) + text.ljust(256, b'\0'))

for name, data in {
    'honest': plan() + done(),
    'alpha': plan(width=3, height=2000, channels=4) + done(1),
    'refused': plan(4, text=b'\x1b[1mdamaged'),
    'failed': plan() + done(7, b'not enough'),
    'descriptor': plan() + message(6, bytes(260), 3),
}.items():
    open(f'corpus/wire/{name}.bin', 'wb').write(data)
END
