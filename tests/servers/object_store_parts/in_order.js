"use strict";
// Azure lists blobs and prefixes in one order of names. Azurite lists prefixes first; Hadoop's driver then takes a folder
// for two and moves it twice.
const { ServerResponse } = require("http");
const { write } = ServerResponse.prototype;
const name = (entry) => /<Name>(.*?)<\/Name>/.exec(entry)[1];
ServerResponse.prototype.write = function (chunk, ...rest) {
  if (typeof chunk === "string" && chunk.includes("<EnumerationResults"))
    chunk = chunk.replace(/<Blobs>(.*)<\/Blobs>/s, (_, inside) => {
      const entries = inside.match(/<Blob>.*?<\/Blob>|<BlobPrefix>.*?<\/BlobPrefix>/gs) ?? [];
      return `<Blobs>${entries.sort((a, b) => (name(a) < name(b) ? -1 : 1)).join("")}</Blobs>`;
    });
  return write.call(this, chunk, ...rest);
};
