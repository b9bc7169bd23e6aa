package carillon.client;

/** Names a device: by its id or by its token (§4.1). */
public sealed interface DeviceReference {
    /**
     * A device by its id.
     *
     * @param id the id, unsigned
     */
    record ById(long id) implements DeviceReference {
        @Override
        public String toString() {
            return "device " + Long.toUnsignedString(id);
        }
    }

    /**
     * A device by its token.
     *
     * @param environment the environment of the token
     * @param kind the kind of the token
     * @param token the token
     */
    record ByToken(Environment environment, TokenKind kind, Token token) implements DeviceReference {
        /**
         * Refuses what is missing.
         *
         * @param environment the environment of the token
         * @param kind the kind of the token
         * @param token the token
         */
        public ByToken {
            if (environment == null || kind == null || token == null) {
                throw CarillonException.invalid("device", "a device needs an environment, a kind and a token");
            }
        }
    }

    /**
     * Names a device by its id.
     *
     * @param id the id, unsigned
     * @return the name
     */
    static DeviceReference id(long id) {
        return new ById(id);
    }

    /**
     * Names the production device of a token.
     *
     * @param token the token
     * @return the name: environment production, kind device
     */
    static DeviceReference token(Token token) {
        return new ByToken(Environment.PRODUCTION, TokenKind.DEVICE, token);
    }

    /**
     * Names the production device of a token.
     *
     * @param hex the token in hexadecimal
     * @return the name: environment production, kind device
     * @throws CarillonException INVALID_ARGUMENT if the text is not hexadecimal
     */
    static DeviceReference token(String hex) {
        return token(Token.ofHex(hex));
    }

    /**
     * Names a device by its whole address.
     *
     * @param environment the environment of the token
     * @param kind the kind of the token
     * @param token the token
     * @return the name
     */
    static DeviceReference token(Environment environment, TokenKind kind, Token token) {
        return new ByToken(environment, kind, token);
    }
}
