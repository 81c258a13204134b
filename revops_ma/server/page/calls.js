// Calls to the server. The session id is drawn here, so no visitor sees another one's game.

const drawId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const stored = (key, make) => {
  try {
    const found = sessionStorage.getItem(key) ?? make();
    sessionStorage.setItem(key, found);
    return found;
  } catch {
    return make();
  }
};

const session = stored("session", drawId);
let token = stored("token", () => "");

export class Problem extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export async function call(path, body) {
  const headers = { "X-Session-Id": session };
  if (token) headers.Authorization = `Bearer ${token}`;
  const options = { headers, cache: "no-store" };
  if (body !== undefined) {
    options.method = "POST";
    options.body = JSON.stringify(body);
    headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem("offline", "The server does not answer.");
  }
  const told = await response.json().catch(() => ({}));
  if (response.ok) return told;
  const { code = "unknown", message = response.statusText } = told.error ?? {};
  if (response.status === 401) {
    if (code === "wrong_token") document.getElementById("token-note").textContent = "That is not the token of this server.";
    await askToken();
    return call(path, body);
  }
  throw new Problem(code, message);
}

function askToken() {
  const dialog = document.getElementById("ask-token");
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        token = document.getElementById("token").value.trim();
        try {
          sessionStorage.setItem("token", token);
        } catch {
          // Then it is asked for again after the next load.
        }
        resolve();
      },
      { once: true },
    );
    if (!dialog.open) dialog.showModal();
  });
}
