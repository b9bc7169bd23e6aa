import carillon.client.BlockingAppCalls;
import carillon.client.CarillonClient;
import carillon.client.CarillonException;
import carillon.client.DeviceReference;
import java.util.List;

/** Lets a device join a group, and subscribes the group to a topic; the arguments are TOKEN, GROUP and TOPIC. */
final class Subscribe {
    public static void main(String[] arguments) {
        Failed.unlessGiven(arguments, "TOKEN", "GROUP", "TOPIC");
        try (CarillonClient client = CarillonClient.fromEnvironment()) {
            BlockingAppCalls app = client.app().blocking();
            List<DeviceReference> devices = List.of(DeviceReference.token(arguments[0]));
            System.out.println("joined " + app.join(arguments[1], devices).joined());
            List<String> groups = List.of(arguments[1]);
            System.out.println("changed " + app.subscribe(List.of(arguments[2]), List.of(), groups).changed());
        } catch (CarillonException error) {
            Failed.exit(error);
        }
    }
}
