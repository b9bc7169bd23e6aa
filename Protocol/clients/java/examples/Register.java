import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.RegisterResult;
import carillon.client.Registration;
import carillon.client.Token;
import carillon.client.Unsigned;
import java.time.Instant;

/** Registers a device; the argument is TOKEN. */
final class Register {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            Registration registration = Registration.of(Token.ofHex(arguments[0]))
                .locale("de-AT").attribute("platform", "ios").seenAt(Instant.now());
            RegisterResult answer = client.app().blocking().register(registration);
            System.out.println("device " + Unsigned.toString(answer.deviceId()) + " " + answer.result());
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
