package carillon.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The client's side of TLS (CONTRACT.md, TLS-3). There is no way to skip verification. */
final class Tls {
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final char[] NO_PASSWORD = {};

    private Tls() {
    }

    /** The certificate of the server was not accepted. */
    static final class UntrustedException extends IOException {
        private static final long serialVersionUID = 1;

        UntrustedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Begins TLS on a connected socket. */
    static SSLSocket handshake(Socket socket, Address address, Options options) throws IOException {
        String name = options.serverName == null ? address.host() : options.serverName;
        try {
            SSLSocket secured = (SSLSocket) context(options).getSocketFactory()
                .createSocket(socket, name, address.port(), true);
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            parameters.setApplicationProtocols(new String[] {"carillon/1"});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (!Address.isLiteral(name)) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            return secured;
        } catch (SSLException error) {
            throw isAboutCertificate(error)
                ? new UntrustedException("the certificate is not accepted: " + error.getMessage(), error) : error;
        } catch (GeneralSecurityException | IllegalArgumentException error) {
            throw new IOException("TLS cannot be configured: " + error.getMessage(), error);
        }
    }

    private static boolean isAboutCertificate(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof CertificateException || each instanceof CertPathValidatorException) {
                return true;
            }
        }
        return false;
    }

    private static SSLContext context(Options options) throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys(options), authorities(options), null);
        return context;
    }

    private static Collection<? extends Certificate> certificates(byte[] pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    }

    private static TrustManager[] authorities(Options options) throws GeneralSecurityException, IOException {
        if (options.caFile == null && options.ca == null) {
            return null;
        }
        byte[] pem = options.ca != null ? options.ca.getBytes(StandardCharsets.UTF_8)
            : Files.readAllBytes(options.caFile);
        KeyStore store = emptyStore();
        int count = 0;
        for (Certificate certificate : certificates(pem)) {
            store.setCertificateEntry("ca" + count++, certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static KeyManager[] keys(Options options) throws GeneralSecurityException, IOException {
        if (options.certificateFile == null) {
            return null;
        }
        Certificate[] chain = certificates(Files.readAllBytes(options.certificateFile)).toArray(Certificate[]::new);
        if (chain.length == 0) {
            throw new CertificateException("the certificate file has no certificate");
        }
        KeyStore store = emptyStore();
        store.setKeyEntry("client", privateKey(Files.readString(options.certificateKeyFile)), NO_PASSWORD, chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        Matcher found = KEY.matcher(pem);
        if (!found.find()) {
            throw new InvalidKeySpecException("the key is not PKCS #8 without a password");
        }
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(found.group(1)));
        for (String algorithm : new String[] {"EC", "RSA", "EdDSA"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException error) {
                // Another algorithm may fit.
            }
        }
        throw new InvalidKeySpecException("the key is of an unknown algorithm");
    }
}
