import java.lang.reflect.Method;

/** Several brokers in one process, one for each file of settings. */
public class Together {
    public static void main(String[] files) throws ReflectiveOperationException {
        Method broker = Class.forName("kafka.Kafka").getMethod("main", String[].class);
        for (String file : files) {
            new Thread(() -> {
                try {
                    broker.invoke(null, (Object) new String[] {file});
                } catch (ReflectiveOperationException failure) {
                    failure.printStackTrace();
                    System.exit(1);
                }
            }).start();
        }
    }
}
