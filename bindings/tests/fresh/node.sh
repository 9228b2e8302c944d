# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1091,SC2034,SC2164,SC2016
# node.sh - the package from its directory, and from its tarball.
README=/syscap/bindings/node/README.md
. /user/fresh/typed.sh
# npm recommends too many packages
echo 'APT::Install-Recommends "false";' >/etc/apt/apt.conf.d/few
packages 'nodejs npm libnode-dev g++ pkg-config'
mkdir -p /user/path /user/user
ln -s /syscap /user/path/to
cd /user

# uses: checks that the installed package records
uses() {
	{ block 1; echo 'for (let i = 0; i < 3; i++) draw();'; } >program.js
	typed 'syscap record -- node program.js'
	typed 'syscap stat capture.syscap'
	recorded capture.syscap 'demo +draw' 'demo +frames'
	rm capture.syscap
	typed 'SYSCAP_SAMPLE=1000 syscap record -- node -r syscap/v8 program.js'
	recorded capture.syscap 'demo +draw'
	rm capture.syscap
	echo "import { site } from 'syscap'; site('demo', 'esm').instant();" \
		>program.mjs
	syscap record -- node program.mjs
	recorded capture.syscap 'demo +esm'
	rm capture.syscap
}

echo '{"name":"user"}' >package.json
typed 'npm install path/to/bindings/node'
uses

typed 'npm pack path/to/bindings/node'
mv syscap-*.tgz user
cd user
echo '{"name":"user"}' >package.json
typed 'npm install ./syscap-0.1.0.tgz'
has 'npm install-scripts approve syscap npm rebuild syscap'
tar -tzf syscap-*.tgz | grep -x package/LICENSE
uses
cp node_modules/syscap/../../../path/to/bindings/node/example/thumbnails.js .
SYSCAP_SAMPLE=1000 syscap record -o story.syscap -- \
	node -r syscap/v8 thumbnails.js
recorded story.syscap 'thumbnails +scale' scalePicture

typed 'npm rebuild syscap'
rm -rf node_modules package-lock.json
has 'npm install --ignore-scripts'
npm install --ignore-scripts ./syscap-*.tgz
syscap record -- node program.js
